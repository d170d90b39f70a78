/* The settings of a scene: how its contacts, friction and time steps are made, whatever method solves them. A new one
 * is a member of the struct, a row of the table (scene_settings.c), and its use. Who asks for settings (a request), who
 * has them (a world) and whoever reads or writes them hold the struct and walk the table.
 *
 * In settings that are asked for, one may be left open: NaN for a number, 0 for a whole number, -1 for a choice. */
#ifndef NB_MODEL_SCENE_SETTINGS_H
#define NB_MODEL_SCENE_SETTINGS_H

#include <stddef.h>
#include <stdint.h>

#include "base/options.h"
#include "base/status.h"
#include "model/contact_model.h"
#include "model/friction_law.h"
#include "model/gyroscopic.h"
#include "model/integrator.h"
#include "model/time_stepping.h"

typedef struct nb_scene_settings {
    double contact_margin; /* features closer than this make contacts [m]; the thickness comes on top of it */
    /* of every contact: compliance e [m/N], so that 0 <= C_n + e lambda_n complements lambda_n, and the distance d that
     * touching features keep [m], C_n = n . (a - b) - d (paper eq. (9), section 10.3); 0: rigid, and skin on skin */
    double contact_compliance, contact_thickness;
    nb_contact_choice contacts; /* how much they give way */
    double verify_contacts;     /* overlap above which a step is solved again [m]; infinite: any */
    /* Friction across a direction over that along it, which the bodies' coefficients are; 1: the same in all
     * directions. The direction is horizontal, from the x towards the y axis [rad]. A contact has it laid into its
     * plane; where it stands upright on that, the vertical. */
    double friction_ratio, friction_direction;
    nb_friction_law friction_law;
    int32_t friction_facets; /* of the polyhedral laws, from the first tangent on */
    nb_time_stepping stepping;
    nb_integrator integrator;        /* of implicit steps */
    nb_gyroscopic_torque gyroscopic; /* of the integrator be */
    nb_impacts_by impacts;           /* of the other integrators */
    int32_t substeps;                /* of be: small steps with the contacts that the step began with */
    nb_relaxation relax;
} nb_scene_settings;

typedef enum nb_scene_setting_kind {
    NB_SCENE_NUMBER, /* double */
    NB_SCENE_WHOLE,  /* int32_t */
    NB_SCENE_CHOICE  /* an enum of which each enumerator is the place of its name among the choices */
} nb_scene_setting_kind;

/* a row of the table */
typedef struct nb_scene_setting {
    /* the command line's, without dashes; `standard` holds where nobody says, NaN: the scenario's own */
    nb_option option;
    nb_scene_setting_kind kind;
    size_t offset;        /* in nb_scene_settings */
    int of_files;         /* 1: of problem files, too */
    int linearised;       /* 1: of steps that are linearised at their start; where it is open, the scheme's own */
    const char *argument; /* its value in --help; NULL: the choices */
    const char *open;     /* what --help says of one that is left open; NULL: `standard` */
    const char *word;     /* text of a standard that is no finite number; NULL: it is one */
} nb_scene_setting;

/* the row; NULL after the last; the row of this name, or NULL */
const nb_scene_setting *nb_scene_setting_at(int i);
const nb_scene_setting *nb_scene_setting_find(const char *name);

/* of what is left to others; of what holds where nobody says (the margin is then NaN) */
nb_scene_settings nb_scene_settings_open(void);
nb_scene_settings nb_scene_settings_standard(void);

/* the setting as a number: a choice is its place; whether it is left open */
double nb_scene_setting_value(const nb_scene_setting *setting, const nb_scene_settings *of);
int nb_scene_setting_is_open(const nb_scene_setting *setting, const nb_scene_settings *of);

/* Where it is open in `to`, as `own` has it. */
void nb_scene_setting_fill(const nb_scene_setting *setting, const nb_scene_settings *own, nb_scene_settings *to);

/* As it is recorded and printed, a number with at most `digits` digits. */
void nb_scene_setting_text(const nb_scene_setting *setting, const nb_scene_settings *of, int digits, char *text,
                           size_t size);

/* The reverse; NB_ERROR_USAGE with the owner ("recorded run") and the range where it does not fit. */
nb_status nb_scene_setting_read(const nb_scene_setting *setting, const char *owner, const char *text,
                                nb_scene_settings *to);

/* What is asked for; where it is open, what `own` has. Where a scheme is asked for, open numbers of a linearised step
 * are the scheme's. */
nb_scene_settings nb_scene_settings_filled(const nb_scene_settings *asked, const nb_scene_settings *own);

/* The same in the place of a scene's own settings. The margin reaches as far as the active set, which is to be found.
 */
void nb_scene_settings_apply(const nb_scene_settings *asked, nb_scene_settings *own);

#endif
