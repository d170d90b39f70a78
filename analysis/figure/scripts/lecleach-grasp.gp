# title: Two fingertips move a box to a pose (Le Cleac'h et al. 2023, section VI-C)
# run: grasp --set plan=still,carry --method interior-point --newton-tolerance 1e-8 --linear-history off --repeat 0
# run: grasp --set plan=still,carry --method single-level --linear-history off --repeat 0
# quick: grasp --set plan=carry --method interior-point --newton-tolerance 1e-8 --steps 20 --time-step 0.05 --linear-history off --repeat 0
# quick: grasp --set plan=carry --method single-level --steps 20 --time-step 0.05 --linear-history off --repeat 0
# make: optimize grasp --set plan=still --method interior-point --newton-tolerance 1e-8
# make: optimize grasp --set plan=still --method interior-point --newton-tolerance 1e-8 --smoothing 1e-6
# make: optimize grasp --set plan=still --method interior-point --newton-tolerance 1e-8 --smoothing 1e-4,1e-5,1e-6
# make: optimize grasp --set plan=still --method single-level --smoothing 1e-4,1e-5,1e-6
# make: optimize grasp --set plan=carry --method interior-point --newton-tolerance 1e-8
# make: optimize grasp --set plan=carry --method interior-point --newton-tolerance 1e-8 --smoothing 1e-6
# make: optimize grasp --set plan=carry --method interior-point --newton-tolerance 1e-8 --smoothing 1e-4,1e-5,1e-6
# make: optimize grasp --set plan=carry --method single-level --smoothing 1e-4,1e-5,1e-6
# quickmake: optimize grasp --set plan=carry --method interior-point --newton-tolerance 1e-8 --steps 20 --time-step 0.05
# quickmake: optimize grasp --set plan=carry --method interior-point --newton-tolerance 1e-8 --steps 20 --time-step 0.05 --smoothing 1e-6
# quickmake: optimize grasp --set plan=carry --method interior-point --newton-tolerance 1e-8 --steps 20 --time-step 0.05 --smoothing 1e-4,1e-5,1e-6
# quickmake: optimize grasp --set plan=carry --method single-level --steps 20 --time-step 0.05 --smoothing 1e-4,1e-5,1e-6
# select: scenario=grasp method=interior-point|single-level newton_tolerance=1e-08|0
# panel: @plan
# series: method
# rows: course
plan_of(p) = value_in(panel_name(p))
curves_ = 2 + series_1
index_(s) = s < 3 ? s - 1 : s
name_(s) = (s == 1 ? "ρ = 3e-3, 3e-4, 3e-5 J" : s == 2 ? "ρ = 1e-6 J" : "ρ = 1e-4, 1e-5, 1e-6 J").(s < 4 ? "" : ", ".label_of(1, s - 2))
end_of(p, s, c) = last_of(p, index_(s) + 1, c)
outcome = "Outcome, the motion that is not smoothed at the end: "
do for [p = 1:panels] { do for [s = 1:curves_] { outcome = outcome.sprintf("%sfrom plan %s, %s: cost %.3g, %.2g m and %.2g rad from the goal after %d evaluations", p + s > 2 ? "; " : "", plan_of(p), name_(s), end_of(p, s, 4), end_of(p, s, 5), end_of(p, s, 6), end_of(p, s, 1)) } }
outcome = outcome.(papers ? ". The paper plans such a task by another method (trees of random places, with gradients smoothed by 3e-3), and tells no costs." : ".")
about = "Hands that two fingertips hang on by springs follow trajectories of ten knots; damped Gauss-Newton steps change these until the box comes to its goal, half the squares of the errors in units of 1 mm, 0.01 rad, 0.01 m/s and 0.1 rad/s, and of the knots' changes in units of 5 cm. Plan still: the hands begin at rest next to the box, which they do not touch; carry: with a grip and a way by hand. Lines: cost of the motion smoothed by ρ, which feels what it does not touch yet; dots: unsmoothed motion, with the same controls. Steps in the curves: the next, smaller ρ. Curves without a name are by interior-point. Pictures: the unsmoothed motion, with the controls of the end of ρ = 3e-3, 3e-4, 3e-5 J."
brief = "Lines: the smoothed motion; dots: the motion that is not, as in the pictures, with the same controls. By interior-point where no method is named."
entries = curves_
most_ = 1
do for [p = 1:panels] { do for [s = 1:curves_] { most_ = larger(most_, end_of(p, s, 1)) } }
do for [i = 1:entries] { entry[i] = name_(i); entry_style[i] = i; entry_kind[i] = "lp"; entry_shown[i] = 1 }
plot_wide = 0.29 * page_width; picture_wide = (page_width - plot_wide - 58 * k) / 4; picture_high = picture_wide * scene_height / scene_width
plot_high = larger(picture_high, 80 * k); chunk = plot_high + 42 * k
body = chunk * panels
@begin
do for [p = 1:panels] {
    top_ = head + 12 * k + chunk * (p - 1)
    @frame
    eval(spot(left_space * k, top_, plot_wide, plot_high))
    eval(panel_named("plan ".plan_of(p)))
    low = 0.5; high = 1e5
    set logscale y; set format y "10^{%L}"; set yrange [low:high]; set ytics 10; unset mytics
    set xrange [0:*]; set xtics larger(1, nice(most_ * 24 * k / plot_wide))
    eval(x_named("evaluations")); eval(y_named("cost"))
    plot for [s = 1:curves_] panel_file(p) index index_(s) using 1:3 with lines ls s notitle, \
         for [s = 1:curves_] panel_file(p) index index_(s) using 1:4 with points ls s ps 0.25 notitle
    unset label 901; unset label 902; unset label 903; unset logscale y
    unset border; unset tics; unset grid; set xrange [-0.5:scene_width - 0.5]; set yrange [-0.5:scene_height - 0.5]
    do for [i = 1:4] {
        eval(spot((left_space + 14) * k + plot_wide + picture_wide * (i - 1), top_ + 0.5 * (plot_high - picture_high), picture_wide - 2 * k, picture_high))
        plot picture_of(p, i) @shown_as, panel_file(p) index 2 every ::i-1::i-1 using (above_x):(above_y):(sprintf("%.2f s", $1)) with labels @above
    }
}
