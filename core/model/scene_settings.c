#include "model/scene_settings.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define AT(member) offsetof(nb_scene_settings, member)

_Static_assert(sizeof(nb_friction_law) == sizeof(int) && sizeof(nb_stepping_scheme) == sizeof(int) &&
                   sizeof(nb_integrator) == sizeof(int) && sizeof(nb_contact_model) == sizeof(int) &&
                   sizeof(nb_gyroscopic_torque) == sizeof(int) && sizeof(nb_relaxation) == sizeof(int),
               "a choice is held as an int");

static const nb_scene_setting rows[] = {
    {.option = {"contact-margin", "m", NAN, 0, 1e3, 0, NULL, "gap below which contacts are made [m]"},
     .kind = NB_SCENE_NUMBER,
     .offset = AT(contact_margin),
     .argument = "M",
     .open = "the scenario's own",
     .word = "scenario"},
    {.option = {"contact-compliance", "m/N", 0, 0, 1, 0, NULL,
                "compliance of a contact in its normal direction [m/N]; 0: rigid"},
     .kind = NB_SCENE_NUMBER,
     .offset = AT(contact_compliance),
     .argument = "E"},
    {.option = {"contact-thickness", "m", 0, 0, 1e3, 0, NULL,
                "distance that touching bodies keep [m]; closer ones are pushed apart within a step"},
     .kind = NB_SCENE_NUMBER,
     .offset = AT(contact_thickness),
     .argument = "D"},
    {.option =
         {"contact-model", "", NB_CONTACTS_RIGID, 0, 0, 0, nb_contact_model_names,
          "contacts that give way, by a convex model; lagged and similar: with method sap; rigid: any law of friction"},
     .kind = NB_SCENE_CHOICE,
     .offset = AT(contacts.model)},
    {.option =
         {"sap-beta", "1", 1, 1e-9, 1e3, 0, NULL,
          "least period of the spring of a contact of --contact-model sap, lagged or similar, over the time step"},
     .kind = NB_SCENE_NUMBER,
     .offset = AT(contacts.beta),
     .argument = "B"},
    {.option =
         {"sap-sigma", "1", 1e-3, 1e-18, 1e3, 0, NULL,
          "regularization of friction of --contact-model sap, lagged or similar, over the contact's inverse mass"},
     .kind = NB_SCENE_NUMBER,
     .offset = AT(contacts.sigma),
     .argument = "S"},
    {.option = {"sap-stiffness", "N/m", INFINITY, 1e-3, 1e18, 0, NULL,
                "stiffness of a contact of --contact-model sap, lagged or similar [N/m]; --sap-beta bounds it"},
     .kind = NB_SCENE_NUMBER,
     .offset = AT(contacts.stiffness),
     .argument = "K",
     .open = "rigid",
     .word = "rigid"},
    {.option = {"sap-relaxation", "s", 0, 0, 1e3, 0, NULL,
                "dissipation of a contact of --contact-model sap: time in which penetration decays [s]"},
     .kind = NB_SCENE_NUMBER,
     .offset = AT(contacts.relaxation),
     .argument = "T"},
    {.option = {"contact-dissipation", "s/m", 0, 0, 1e6, 0, NULL,
                "Hunt and Crossley's dissipation of a contact of --contact-model lagged or similar [s/m]"},
     .kind = NB_SCENE_NUMBER,
     .offset = AT(contacts.dissipation),
     .argument = "D"},
    {.option = {"stiction-speed", "m/s", 1e-3, 1e-12, 1e3, 0, NULL,
                "least regularization speed of friction of --contact-model lagged or similar [m/s]"},
     .kind = NB_SCENE_NUMBER,
     .offset = AT(contacts.stiction),
     .argument = "V"},
    {.option = {"spring-frequency", "Hz", 30, 1e-3, 1e6, 0, NULL,
                "frequency of a contact of --contact-model spring [Hz]; at most a quarter of the small steps' own"},
     .kind = NB_SCENE_NUMBER,
     .offset = AT(contacts.frequency),
     .argument = "F"},
    {.option = {"spring-damping", "1", 10, 0, 1e6, 0, NULL, "damping ratio of a contact of --contact-model spring"},
     .kind = NB_SCENE_NUMBER,
     .offset = AT(contacts.damping),
     .argument = "Z"},
    {.option = {"solref-time", "s", 0.02, 1e-9, 1e3, 0, NULL,
                "time constant of a contact of --contact-model mujoco [s]; at least two time steps"},
     .kind = NB_SCENE_NUMBER,
     .offset = AT(contacts.time_constant),
     .argument = "T"},
    {.option = {"solref-damping", "1", 1, 1e-6, 1e6, 0, NULL, "damping ratio of a contact of --contact-model mujoco"},
     .kind = NB_SCENE_NUMBER,
     .offset = AT(contacts.ratio),
     .argument = "Z"},
    {.option = {"solimp-d0", "1", 0.9, 1e-4, 0.9999, 0, NULL,
                "impedance of a contact of --contact-model mujoco without penetration"},
     .kind = NB_SCENE_NUMBER,
     .offset = AT(contacts.impedance),
     .argument = "D"},
    {.option = {"solimp-dmax", "1", 0.95, 1e-4, 0.9999, 0, NULL,
                "impedance of a contact of --contact-model mujoco from --solimp-width on"},
     .kind = NB_SCENE_NUMBER,
     .offset = AT(contacts.most_impedance),
     .argument = "D"},
    {.option = {"solimp-width", "m", 1e-3, 1e-15, 1e3, 0, NULL,
                "penetration from which --solimp-dmax holds, of --contact-model mujoco [m]"},
     .kind = NB_SCENE_NUMBER,
     .offset = AT(contacts.width),
     .argument = "W"},
    {.option = {"impratio", "1", 1, 1e-3, 1e6, 0, NULL,
                "regularization of normals over that of friction, of --contact-model mujoco"},
     .kind = NB_SCENE_NUMBER,
     .offset = AT(contacts.impedance_ratio),
     .argument = "R"},
    {.option = {"noslip", "1", 0, 0, 1e6, 1, NULL,
                "sweeps over friction without its regularization at the end of a step of --contact-model mujoco"},
     .kind = NB_SCENE_NUMBER,
     .offset = AT(contacts.no_slip_sweeps),
     .argument = "N"},
    {.option = {"verify-contacts", "m", INFINITY, 1e-12, 1e3, 0, NULL,
                "penetration above which a step is solved again with the contacts of its end [m], at most 5 times; "
                "bodies that began deeper must not get deeper"},
     .kind = NB_SCENE_NUMBER,
     .offset = AT(verify_contacts),
     .argument = "X",
     .open = "off",
     .word = "off"},
    {.option = {"friction-ratio", "1", 1, 0.01, 100, 0, NULL,
                "friction across --friction-direction over that along it, which the scenario's mu is; 1: isotropic"},
     .kind = NB_SCENE_NUMBER,
     .offset = AT(friction_ratio),
     .argument = "R"},
    {.option = {"friction-direction", "rad", 0, -4, 4, 0, NULL,
                "horizontal direction, from the x toward the y axis [rad], projected into the plane of each contact"},
     .kind = NB_SCENE_NUMBER,
     .offset = AT(friction_direction),
     .argument = "A"},
    {.option = {"friction-law", "", NB_FRICTION_COULOMB, 0, 0, 0, nb_friction_law_names,
                "friction law: Coulomb's, or its convex relaxation (cone complementarity), or these two with facets in "
                "place of the disk (linear complementarity); settling is by Coulomb's"},
     .kind = NB_SCENE_CHOICE,
     .offset = AT(friction_law),
     .of_files = 1,
     .open = "the scenario's own"},
    {.option =
         {"facets", "1", NB_FACETS, NB_LEAST_FACETS, NB_MOST_FACETS, 1, NULL,
          "directions of friction that the polyhedral laws have, over the full circle; 2: along the first tangent"},
     .kind = NB_SCENE_WHOLE,
     .offset = AT(friction_facets),
     .of_files = 1,
     .argument = "N",
     .open = "the scenario's own"},
    {.option = {"time-stepping", "", NB_STEPPING_IMPLICIT, 0, 0, 0, nb_stepping_names,
                "constraints of a step: at its end, or linearized at its start with K times the error there corrected; "
                "settling is implicit"},
     .kind = NB_SCENE_CHOICE,
     .offset = AT(stepping.scheme),
     .open = "the scenario's own"},
    {.option = {"integrator", "", NB_INTEGRATOR_BE, 0, 0, 0, nb_integrator_names,
                "stages of an implicit step: one of backward Euler, or of order 2; settling is by be"},
     .kind = NB_SCENE_CHOICE,
     .offset = AT(integrator)},
    {.option = {"gyroscopic-torque", "", NB_GYROSCOPIC_IMPLICIT, 0, 0, 0, nb_gyroscopic_names,
                "gyroscopic torque of --integrator be: by the midpoint rule, which keeps the energy of a free body, or "
                "that of the step's start, which adds to it; settling is implicit"},
     .kind = NB_SCENE_CHOICE,
     .offset = AT(gyroscopic)},
    {.option =
         {"impacts", "", NB_IMPACTS_BY_BE, 0, 0, 0, nb_impacts_names,
          "steps that open or close contacts, with integrators other than be: by be, which is of order 1 and adds "
          "no energy, or by the integrator, which rebounds from rigid contacts"},
     .kind = NB_SCENE_CHOICE,
     .offset = AT(impacts),
     .open = "be; integrator with springs"},
    {.option = {"substeps", "1", 1, 1, 10000, 1, NULL,
                "small steps that a step of be is made of, with one detection of contacts at its start"},
     .kind = NB_SCENE_WHOLE,
     .offset = AT(substeps),
     .argument = "N"},
    {.option =
         {"relax", "", NB_RELAX_OFF, 0, 0, 0, nb_relaxation_names,
          "solve each small step of be twice: for its positions, and without their correction for its velocities"},
     .kind = NB_SCENE_CHOICE,
     .offset = AT(relax)},
    {.option = {"stabilization", "1", 1, 0, 1, 0, NULL,
                "K of a linearized step; 0: no drift correction; anitescu-hart takes 1, tasora 0.5"},
     .kind = NB_SCENE_NUMBER,
     .offset = AT(stepping.stabilization),
     .linearised = 1,
     .argument = "K",
     .open = "the scheme's own"},
    {.option = {"recovery-speed", "m/s", INFINITY, 0, 1e9, 0, NULL,
                "largest correction of a position error in a linearized step [m/s], of joints that turn [rad/s]"},
     .kind = NB_SCENE_NUMBER,
     .offset = AT(stepping.recovery_speed),
     .linearised = 1,
     .argument = "V",
     .open = "any",
     .word = "any"},
    {.option = {"active-set", "m", INFINITY, 0, 1e3, 0, NULL,
                "contacts of a linearized step: those with gaps up to D [m]"},
     .kind = NB_SCENE_NUMBER,
     .offset = AT(stepping.active_set),
     .linearised = 1,
     .argument = "D",
     .open = "all that are detected",
     .word = "all"},
    {.option = {"restitution", "1", 0, 0, 1, 0, NULL,
                "coefficient of restitution of contacts that close in a linearized step; --stabilization then applies "
                "to penetrations only"},
     .kind = NB_SCENE_NUMBER,
     .offset = AT(stepping.restitution),
     .linearised = 1,
     .argument = "E",
     .open = "the scenario's own"},
};

enum {
    ROWS = sizeof rows / sizeof *rows
};

const nb_scene_setting *nb_scene_setting_at(int i) {
    return i < ROWS ? &rows[i] : NULL;
}

const nb_scene_setting *nb_scene_setting_find(const char *name) {
    for (int i = 0; i < ROWS; i++)
        if (strcmp(rows[i].option.name, name) == 0) return &rows[i];
    return NULL;
}

double nb_scene_setting_value(const nb_scene_setting *setting, const nb_scene_settings *of) {
    const void *field = (const char *)of + setting->offset;
    switch (setting->kind) {
    case NB_SCENE_NUMBER: return *(const double *)field;
    case NB_SCENE_WHOLE: return *(const int32_t *)field;
    case NB_SCENE_CHOICE: return *(const int *)field;
    }
    return NAN;
}

static void set_value(const nb_scene_setting *setting, double value, nb_scene_settings *to) {
    void *field = (char *)to + setting->offset;
    switch (setting->kind) {
    case NB_SCENE_NUMBER: *(double *)field = value; break;
    case NB_SCENE_WHOLE: *(int32_t *)field = (int32_t)value; break;
    case NB_SCENE_CHOICE: *(int *)field = (int)value; break;
    }
}

int nb_scene_setting_is_open(const nb_scene_setting *setting, const nb_scene_settings *of) {
    const double value = nb_scene_setting_value(setting, of);
    switch (setting->kind) {
    case NB_SCENE_NUMBER: return isnan(value);
    case NB_SCENE_WHOLE: return value == 0;
    case NB_SCENE_CHOICE: return value < 0;
    }
    return 0;
}

void nb_scene_setting_fill(const nb_scene_setting *setting, const nb_scene_settings *own, nb_scene_settings *to) {
    if (nb_scene_setting_is_open(setting, to)) set_value(setting, nb_scene_setting_value(setting, own), to);
}

nb_scene_settings nb_scene_settings_open(void) {
    static const double open[] = {[NB_SCENE_NUMBER] = NAN, [NB_SCENE_WHOLE] = 0, [NB_SCENE_CHOICE] = -1};
    nb_scene_settings settings;
    for (int i = 0; i < ROWS; i++) set_value(&rows[i], open[rows[i].kind], &settings);
    return settings;
}

nb_scene_settings nb_scene_settings_standard(void) {
    nb_scene_settings settings;
    for (int i = 0; i < ROWS; i++) set_value(&rows[i], rows[i].option.standard, &settings);
    return settings;
}

void nb_scene_setting_text(const nb_scene_setting *setting, const nb_scene_settings *of, int digits, char *text,
                           size_t size) {
    const double value = nb_scene_setting_value(setting, of);
    if (setting->word && !isfinite(value))
        snprintf(text, size, "%s", setting->word);
    else
        nb_option_text(&setting->option, value, digits, text, size);
}

nb_status nb_scene_setting_read(const nb_scene_setting *setting, const char *owner, const char *text,
                                nb_scene_settings *to) {
    nb_status status = NB_OK;
    double value = setting->option.standard;
    if (!setting->word || strcmp(text, setting->word) != 0)
        status = nb_options_set(&setting->option, 1, owner, setting->option.name, text, &value);
    if (status == NB_OK) set_value(setting, value, to);
    return status;
}

nb_scene_settings nb_scene_settings_filled(const nb_scene_settings *asked, const nb_scene_settings *own) {
    nb_scene_settings filled = *asked, of_scheme = *own;
    if ((int)asked->stepping.scheme >= 0) of_scheme.stepping = nb_time_stepping_of(asked->stepping.scheme);
    for (int i = 0; i < ROWS; i++)
        if (nb_scene_setting_is_open(&rows[i], asked))
            set_value(&rows[i], nb_scene_setting_value(&rows[i], rows[i].linearised ? &of_scheme : own), &filled);
    return filled;
}

void nb_scene_settings_apply(const nb_scene_settings *asked, nb_scene_settings *own) {
    *own = nb_scene_settings_filled(asked, own);
    if (isfinite(own->stepping.active_set)) own->contact_margin = own->stepping.active_set;
}
