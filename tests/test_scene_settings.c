/* The table of a scene's settings: that it has all of the struct, and that texts and values are each other's reverse.
 */
#include "model/scene_settings.h"

#include <string.h>

#include "check.h"

enum {
    TRIALS = 200
};

static size_t size_of(const nb_scene_setting *setting) {
    return setting->kind == NB_SCENE_NUMBER ? sizeof(double) : sizeof(int32_t);
}

/* one row for each member, none twice: what is left over is the padding behind the scheme and at the end */
TEST(rows_are_the_members) {
    char taken[sizeof(nb_scene_settings)] = {0};
    const nb_scene_setting *setting;
    size_t covered = 0;
    for (int i = 0; (setting = nb_scene_setting_at(i)) != NULL; i++) {
        assert_ptr_equal(nb_scene_setting_find(setting->option.name), setting);
        for (size_t k = 0; k < size_of(setting); k++) {
            assert_int_equal(taken[setting->offset + k], 0);
            taken[setting->offset + k] = 1;
            covered++;
        }
        assert_true((setting->kind == NB_SCENE_CHOICE) == (setting->option.choices != NULL));
        assert_true(setting->kind != NB_SCENE_WHOLE || setting->option.integer);
        assert_true(isfinite(setting->option.standard) || setting->word);
    }
    assert_null(nb_scene_setting_find("contact"));
    assert_int_equal(sizeof(nb_scene_settings) - covered,
                     offsetof(nb_time_stepping, stabilization) - sizeof(nb_stepping_scheme) +
                         offsetof(nb_contact_choice, beta) - sizeof(nb_contact_model) + sizeof(nb_scene_settings) -
                         offsetof(nb_scene_settings, relax) - sizeof(nb_relaxation));
}

TEST(texts_and_values_are_each_others_reverse) {
    uint64_t seed = test_seed();
    const nb_scene_setting *setting;
    for (int i = 0; (setting = nb_scene_setting_at(i)) != NULL; i++)
        for (int trial = 0; trial < TRIALS; trial++) {
            const nb_option *o = &setting->option;
            nb_scene_settings settings = nb_scene_settings_open(), back = nb_scene_settings_open();
            char text[64];
            int choices = 0;
            while (o->choices && o->choices[choices]) choices++;
            if (o->choices)
                snprintf(text, sizeof text, "%s", o->choices[trial % choices]);
            else
                snprintf(text, sizeof text, o->integer ? "%.0f" : "%.17g", test_random(&seed, o->minimum, o->maximum));
            assert_true(nb_scene_setting_is_open(setting, &settings));
            CHECK_OK(nb_scene_setting_read(setting, "test", text, &settings));
            assert_false(nb_scene_setting_is_open(setting, &settings));
            nb_scene_setting_text(setting, &settings, 17, text, sizeof text);
            CHECK_OK(nb_scene_setting_read(setting, "test", text, &back));
            assert_true(nb_scene_setting_value(setting, &back) == nb_scene_setting_value(setting, &settings));
        }
}

/* as records have them, and as those have that lack them */
TEST(standard_values_are_known) {
    static const char *const known[][2] = {
        {"contact-margin", "scenario"},
        {"contact-compliance", "0"},
        {"contact-thickness", "0"},
        {"verify-contacts", "off"},
        {"friction-ratio", "1"},
        {"friction-direction", "0"},
        {"friction-law", "coulomb"},
        {"facets", "8"},
        {"time-stepping", "implicit"},
        {"stabilization", "1"},
        {"recovery-speed", "any"},
        {"active-set", "all"},
        {"restitution", "0"},
        {"gyroscopic-torque", "implicit"},
        {"integrator", "be"},
        {"impacts", "be"},
        {"substeps", "1"},
        {"relax", "off"},
        {"contact-model", "rigid"},
        {"sap-beta", "1"},
        {"sap-sigma", "0.001"},
        {"sap-stiffness", "rigid"},
        {"sap-relaxation", "0"},
        {"contact-dissipation", "0"},
        {"stiction-speed", "0.001"},
        {"spring-frequency", "30"},
        {"spring-damping", "10"},
        {"solref-time", "0.02"},
        {"solref-damping", "1"},
        {"solimp-d0", "0.90000000000000002"},
        {"solimp-dmax", "0.94999999999999996"},
        {"solimp-width", "0.001"},
        {"impratio", "1"},
        {"noslip", "0"},
    };
    const nb_scene_settings standard = nb_scene_settings_standard();
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        const nb_scene_setting *setting = nb_scene_setting_find(known[i][0]);
        nb_scene_settings back = nb_scene_settings_open();
        char text[64];
        nb_scene_setting_text(setting, &standard, 17, text, sizeof text);
        assert_string_equal(text, known[i][1]);
        CHECK_OK(nb_scene_setting_read(setting, "test", text, &back));
        const double a = nb_scene_setting_value(setting, &standard), b = nb_scene_setting_value(setting, &back);
        assert_true(a == b || (isnan(a) && isnan(b)));
    }
}

TEST(what_does_not_fit_is_refused) {
    nb_scene_settings settings = nb_scene_settings_standard();
    CHECK_FAULT(nb_scene_setting_read(nb_scene_setting_find("facets"), "test", "1", &settings), NB_ERROR_USAGE, "2");
    CHECK_FAULT(nb_scene_setting_read(nb_scene_setting_find("facets"), "test", "3.5", &settings), NB_ERROR_USAGE,
                "3.5");
    CHECK_FAULT(nb_scene_setting_read(nb_scene_setting_find("friction-law"), "test", "colomb", &settings),
                NB_ERROR_USAGE, "coulomb");
    CHECK_FAULT(nb_scene_setting_read(nb_scene_setting_find("contact-margin"), "test", "any", &settings),
                NB_ERROR_USAGE, "any");
    assert_int_equal(settings.friction_facets, NB_FACETS);
    assert_int_equal(settings.friction_law, NB_FRICTION_COULOMB);
}

/* what is open is the scene's own, but for numbers of the scheme that is asked for */
TEST(what_is_open_is_filled) {
    nb_scene_settings own = nb_scene_settings_standard(), asked = nb_scene_settings_open();
    own.contact_margin = 0.03;
    own.stepping.restitution = 0.7;
    nb_scene_settings filled = nb_scene_settings_filled(&asked, &own);
    assert_memory_equal(&filled.stepping.stabilization, &own.stepping.stabilization, 4 * sizeof(double));
    CHECK_NEAR(filled.contact_margin, 0.03, 0);
    asked.stepping.scheme = NB_STEPPING_TASORA;
    asked.stepping.active_set = 0.2;
    filled = nb_scene_settings_filled(&asked, &own);
    CHECK_NEAR(filled.stepping.stabilization, 0.5, 0);
    CHECK_NEAR(filled.stepping.restitution, 0, 0);
    CHECK_NEAR(filled.contact_margin, 0.03, 0);
    nb_scene_settings_apply(&asked, &own);
    CHECK_NEAR(own.contact_margin, 0.2, 0);
    CHECK_NEAR(own.stepping.stabilization, 0.5, 0);
}

RUN_TESTS(rows_are_the_members, texts_and_values_are_each_others_reverse, standard_values_are_known,
          what_does_not_fit_is_refused, what_is_open_is_filled)
