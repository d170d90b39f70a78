# title: Krylov beside relaxation: arch, heavy stack, pile (Macklin et al. 2019, fig. 14)
# run: arch,heavy-stack,piling --precision f32 --steps 150 --newton-iterations 6 --linear-iterations 40 --linear-history off --store-states 150 --linear-solver pcr,gauss-seidel
# quick: arch,heavy-stack --precision f32 --steps 40 --newton-iterations 6 --linear-iterations 40 --linear-history off --store-states 40 --linear-solver pcr,gauss-seidel
# select: precision=f32 newton_iterations=6 linear_iterations=40 steps=150|40 linear_solver=pcr|gauss-seidel
# panel: scenario
# series: linear_solver
# data: scene
axis_height = 16
plot_height = 58 + 294 * panels
outcome = "Outcome, deepest penetration over all steps [m]: "
do for [p = 1:panels] {
    outcome = outcome.(p > 1 ? "; " : "").panel_name(p).": "
    do for [s = 1:series_of(p)] { outcome = outcome.sprintf("%s%s %s", s > 1 ? ", " : "", label_of(p, s), number("%.1e", last_of(p, s, 1))) }
}
@begin
unset border; unset tics; unset grid; unset key
set xrange [-0.5:scene_width - 0.5]; set yrange [-0.5:scene_height - 0.5]
do for [p = 1:panels] { do for [s = 1:series_of(p)] {
    wide = 0.97 / larger(2, series_of(p)) # a pixel of a picture is one of the drawing
    set lmargin at screen 0.03 + wide * (s - 1); set rmargin at screen 0.025 + wide * s
    set tmargin at screen from_top(58 + 294 * (p - 1)); set bmargin at screen from_top(52 + 294 * p)
    if (p == 1) { set label 10 label_of(p, s) at graph 0.5, graph 1.04 center noenhanced font ",12" front } else { unset label 10 }
    if (s == 1) { set label 11 panel_name(p) at screen 0.015, graph 0.5 center rotate by 90 noenhanced font ",12" } else { unset label 11 }
    if (last_of(p, s, 1) == last_of(p, s, 1)) {
        plot sprintf("panel_%d_%d.rgb", p, s) binary array=(scene_width,scene_height) flip=y format="%uchar%uchar%uchar" using 1:2:3 with rgbimage notitle
    } else { plot -1 notitle } # the scene was not run with this solver
    @unframe
} }
unset multiplot
