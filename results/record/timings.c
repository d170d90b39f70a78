#include "record/timings.h"

#include "record/group.h"

nb_status nb_write_timings(hid_t group, const nb_timing *timings, int count) {
    const nb_timing_rows rows = {count, (nb_timing *)(uintptr_t)timings};
    return nb_group_write(group, &nb_timing_rows_members, &rows);
}

nb_status nb_read_timings(hid_t group, nb_timing **timings, int *count) {
    nb_status status;
    nb_timing_rows rows = {0};
    NB_TRY(nb_group_read(group, &nb_timing_rows_members, &rows));
    NB_TRY(nb_timings_check(rows.items, rows.count));
    *timings = rows.items;
    *count = rows.count;
    return NB_OK;
out:
    nb_members_clear(&nb_timing_rows_members, &rows);
    return status;
}
