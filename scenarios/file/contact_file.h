/* Contact problems from files of any format that is read. */
#ifndef NB_SCENARIOS_CONTACT_FILE_H
#define NB_SCENARIOS_CONTACT_FILE_H

#include "fclib.h"

/* Siconos's text where the file ends in .dat or begins with a number, unless it begins as an HDF5 file does; else
 * FCLIB's format. Faults as for nb_fclib_read (fclib.h) and nb_siconos_read (siconos_text.h). The caller destroys the
 * problem. */
nb_status nb_contact_file_read(const char *path, nb_fclib_problem **problem);

#endif
