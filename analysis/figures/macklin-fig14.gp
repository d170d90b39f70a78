# title: Krylov beside relaxation: arch, heavy stack, pile (Macklin et al. 2019, fig. 14)
# run: arch,heavy-stack,piling --precision f32 --steps 150 --newton-iterations 6 --linear-iterations 40 --linear-history off --store-states 150 --linear-solver pcr,gauss-seidel
# quick: arch,heavy-stack --precision f32 --steps 40 --newton-iterations 6 --linear-iterations 40 --linear-history off --store-states 40 --linear-solver pcr,gauss-seidel
# select: precision=f32 newton_iterations=6 linear_iterations=40 steps=150|40 linear_solver=pcr|gauss-seidel
# panel: scenario
# series: linear_solver
# data: scene
entries = 0
outcome = "Outcome, deepest penetration over all steps [m]: "
do for [p = 1:panels] {
    outcome = outcome.(p > 1 ? "; " : "").panel_name(p).": "
    do for [s = 1:series_of(p)] { outcome = outcome.sprintf("%s%s %s", s > 1 ? ", " : "", label_of(p, s), number("%.1e", last_of(p, s, 1))) }
}
brief = outcome
# a line of pictures for each scene
picture_wide = (sheet_width - 16 * k) / larger(2, series_of(1))
picture_high = (picture_wide - 4 * k) * scene_height / scene_width
body = 12 * k + (picture_high + 4 * k) * panels
@begin
unset border; unset tics; unset grid
set xrange [-0.5:scene_width - 0.5]; set yrange [-0.5:scene_height - 0.5]
do for [p = 1:panels] { do for [s = 1:series_of(p)] {
    eval(spot(14 * k + picture_wide * (s - 1), head + 12 * k + (picture_high + 4 * k) * (p - 1), picture_wide - 4 * k, picture_high))
    if (p == 1) { set label 10 spaced(label_of(p, s)) at graph 0.5, graph 1 center noenhanced font normal offset 0, 0.5 front } else { unset label 10 }
    if (s == 1) { set label 11 spaced(panel_name(p)) at screen from_left(7 * k), graph 0.5 center rotate by 90 noenhanced font normal } else { unset label 11 }
    if (last_of(p, s, 1) == last_of(p, s, 1)) {
        plot sprintf("panel_%d_%d.rgb", p, s) binary array=(scene_width,scene_height) flip=y format="%uchar%uchar%uchar" using 1:2:3 with rgbimage notitle
    } else { plot -1 notitle } # the scene was not run with this solver
} }
unset multiplot
