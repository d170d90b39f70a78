# title: Krylov and relaxation: arch, heavy stack, pile (Macklin et al. 2019, fig. 14)
# run: arch --precision f32 --steps 4800 --newton-iterations 6 --linear-iterations 20 --linear-history off --store-states 40 --linear-solver pcr,gauss-seidel,jacobi --geometry updated
# run: arch --precision f32 --steps 4800 --newton-iterations 6 --linear-iterations 200 --linear-history off --store-states 40 --linear-solver gauss-seidel,jacobi --geometry updated
# run: heavy-stack --precision f32 --steps 50 --newton-iterations 6 --linear-iterations 20 --linear-history off --store-states 1 --linear-solver pcr,gauss-seidel,jacobi --geometry updated
# run: piling --precision f32 --steps 300 --newton-iterations 4 --linear-iterations 20 --linear-history off --store-states 5 --linear-solver pcr,gauss-seidel,jacobi --geometry updated
# quick: arch --precision f32 --steps 1600 --newton-iterations 6 --linear-iterations 20 --linear-history off --store-states 40 --linear-solver pcr,jacobi --geometry updated
# quick: heavy-stack --precision f32 --steps 50 --newton-iterations 6 --linear-iterations 20 --linear-history off --store-states 1 --linear-solver pcr,gauss-seidel,jacobi --geometry updated
# select: precision=f32 steps=4800|1600|50|300 linear_iterations=20|200
# panel: scenario
# series: linear_solver+linear_iterations?
# rows: scene
# number: start=first(top_m)
# number: fell=first(time_s where top_m < 0.5 * start)
# The outcome: of the arch its crown, of other scenes how deep bodies sink into each other.
is_arch(p) = panel_name(p) eq "arch"
fell_of(p, s) = number_of("fell", p, s)
ran(p, s) = last_of(p, s, 1) == last_of(p, s, 1)
falls(p, s) = fell_of(p, s) == fell_of(p, s)
named(p, s) = spaced(label_of(p, s))
sunk(p, s) = named(p, s).sprintf(" %.1g m", last_of(p, s, 4))
listed(list, t) = list.(list eq "" ? "" : ", ").t
outcome = ""; fallen = ""; standing = ""
do for [p = 1:panels] {
    one = ""
    do for [s = 1:series_of(p)] { if (ran(p, s)) {
        one = listed(one, is_arch(p) ? named(p, s).sprintf(falls(p, s) ? " falls at %.1f s" : " stands", fell_of(p, s)).sprintf(", %.2f m at the end of %.2f m", last_of(p, s, 2), number_of("start", p, s)) : sunk(p, s))
        if (is_arch(p) && falls(p, s)) { fallen = listed(fallen, named(p, s).sprintf(" at %.0f s", fell_of(p, s))) }
        if (is_arch(p) && !falls(p, s)) { standing = listed(standing, named(p, s)) }
    } }
    outcome = outcome.(is_arch(p) ? "The crown of the arch: " : "Deepest penetration, ".panel_name(p).": ").one.".\n"
}
outcome = outcome.(papers ? "Macklin et al. (2019): under relaxation the arch collapses in the end, even with hundreds of iterations, and the boxes of the stack sink into each other significantly; Krylov or direct solvers hold both without drift; the pile comes to rest.\n" : "")
about = "The last recorded states. Plots, over time: the height of the highest center of the arch, and the deepest penetration since the state recorded before. An arch has fallen where the crown is below half its first height. A number after a solver: its linear iterations, where they differ."
brief = fallen.standing eq "" ? "" : "Arch falls: ".(fallen eq "" ? "none" : fallen)."; stands: ".(standing eq "" ? "none" : standing).(papers ? " (paper: relaxation falls, even with hundreds of iterations)." : ".")
# for each scene a line of at most three pictures, and its course
pictures = smaller(3, series_of(1))
course_wide = 0.26 * page_width
course_left = page_width - course_wide - 6 * k
picture_wide = (course_left - 44 * k - 10 * k) / larger(2, pictures)
picture_high = (picture_wide - 4 * k) * scene_height / scene_width
line_of_pictures = picture_high + 18 * k
body = 11 * k + line_of_pictures * panels + 5 * k
array decades_[panels]
do for [p = 1:panels] {
    low = 1e300; high = 0
    do for [s = 1:series_of(p)] { if (ran(p, s)) { i_ = widened(p, s, 3) } }
    decades_[p] = high > low ? ceil(log10(high / low)) + 1 : 1
}
top_of(p) = head + 11 * k + line_of_pictures * (p - 1)
do for [s = 1:entries] { entry_kind[s] = "l" }
@begin
do for [p = 1:panels] {
    unset border; unset tics; unset grid; unset logscale
    set xrange [-0.5:scene_width - 0.5]; set yrange [-0.5:scene_height - 0.5]
    do for [s = 1:pictures] {
        eval(spot(12 * k + picture_wide * (s - 1), top_of(p), picture_wide - 4 * k, picture_high))
        if (p == 1) { set label 10 spaced(label_of(p, s)) at graph 0.5, graph 1 center noenhanced font normal offset 0, 0.5 front } else { unset label 10 }
        if (s == 1) { set label 11 spaced(panel_name(p)) at screen from_left(6 * k), graph 0.5 center rotate by 90 noenhanced font normal } else { unset label 11 }
        if (ran(p, s)) {
            plot sprintf("panel_%d_%d.rgb", p, s) binary array=(scene_width,scene_height) flip=y format="%uchar%uchar%uchar" using 1:2:3 with rgbimage notitle
        } else { plot -1 notitle } # the scene was not run with this solver
    }
    unset label 10; unset label 11
    @frame
    eval(spot(course_left, top_of(p), course_wide, picture_high))
    set xrange [0:*]
    longest = 0
    do for [s = 1:series_of(p)] { longest = ran(p, s) ? larger(longest, last_of(p, s, 1)) : longest }
    set xtics nice(longest * larger(0.2, 22 * k / course_wide))
    if (is_arch(p)) { unset logscale; set format y "%g"; set yrange [0:*]; set ytics 1 } else { set logscale y; set format y "10^{%L}"; set yrange [*:*]; set ytics 10**ceil(decades_[p] * 9.0 * k / picture_high) }
    unset mytics
    eval(x_named(p == panels ? "time [s]" : ""))
    eval(y_named(is_arch(p) ? "crown [m]" : "depth [m]"))
    plot for [s = 1:series_of(p)] panel_file(p) index (s - 1) using 1:(is_arch(p) ? $2 : $3 > 0 ? $3 : NaN) with lines ls s notitle
    eval(x_named("")); eval(y_named(""))
}
