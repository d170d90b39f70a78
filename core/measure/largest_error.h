/* Where an iterate has its largest error, and what its contacts do: for records and for who asks why a step takes so
 * many iterations. By the errors of single blocks of rows, which the laws give (constraint/law.h). */
#ifndef NB_MEASURE_LARGEST_ERROR_H
#define NB_MEASURE_LARGEST_ERROR_H

#include <stdint.h>

typedef enum nb_error_kind {
    NB_ERROR_KIND_NONE,
    NB_ERROR_KIND_NORMAL,   /* normal complementarity e_n of a contact */
    NB_ERROR_KIND_FRICTION, /* friction e_f of a contact */
    NB_ERROR_KIND_JOINT,
    NB_ERROR_KIND_ELEMENT, /* springs included */
    NB_ERROR_KIND_MOMENTUM,
    NB_ERROR_KIND_COUNT
} nb_error_kind;

/* "normal", "friction", ...; never NULL */
const char *nb_error_kind_name(nb_error_kind kind);

/* all of them, for columns of kinds in a record */
#define NB_ERROR_KIND_LEGEND "0=none 1=normal 2=friction 3=joint 4=element 5=momentum"

/* What a contact does by the projection of its natural map: open where w z_n <= a, sliding where |w z_f - v_t| is at
 * least w mu z_n, else sticking. */
typedef enum nb_contact_mode {
    NB_MODE_OPEN,
    NB_MODE_STICKING,
    NB_MODE_SLIDING,
    NB_MODE_COUNT
} nb_contact_mode;
#define NB_CONTACT_MODE_LEGEND "0=open 1=sticking 2=sliding"

typedef struct nb_contact_modes {
    int64_t serial; /* of the iterate that they are of */
    int32_t count;
    uint8_t *mode; /* [count] an nb_contact_mode, in the order of the contacts' rows; owned by the measure */
    int64_t capacity;
} nb_contact_modes;

/* The larger one of e_n and e_f of each contact, in the order of the contacts' rows [m/s]. */
typedef struct nb_contact_errors {
    int64_t serial; /* of the iterate that they are of */
    int32_t count;
    float *error; /* [count]; owned by the measure */
    int64_t capacity;
} nb_contact_errors;

typedef struct nb_largest_error {
    nb_error_kind kind;
    int32_t row;                     /* first row of its block in the problem's order; -1: none */
    int32_t index;                   /* contact in the order of rows, joint of the world, element block, or node */
    int32_t nodes[2];                /* bodies, particles counted behind them; -1: the world, or none */
    int32_t contacts[NB_MODE_COUNT]; /* how many are open, stick, slide */
    int64_t serial;                  /* 0: nobody looked, and the rest says nothing */
    const nb_contact_modes *modes;   /* of this iterate where it has this serial, else of a later one */
    nb_contact_errors *errors;       /* [2] of the iterates measured and reported last; NULL: not looked for */
} nb_largest_error;

/* The iterate is about to be reported: its contacts' errors outlast the iterates that are only measured after it. */
void nb_largest_error_report(const nb_largest_error *largest);

/* The errors of the iterate's contacts, or NULL: nobody looked, or another iterate was reported since. */
const nb_contact_errors *nb_largest_error_contacts(const nb_largest_error *largest);

#endif
