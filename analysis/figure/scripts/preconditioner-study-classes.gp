# title: Problems of the standard set on which a preconditioner needs at most twice the least time
# apart: the study in full takes long: docs/reproduce.md
# run: ball-slides,block-sticks,stack-7-ratio-1,stack-7-ratio-1e3,stack-7-ratio-1e6,arch-5,arch-20,arch-100,wall-4x4,wall-10x10,boxes-30-falling,balls-100-falling,tables-8-falling,boxes-27-bond,balls-64-rest,boxes-20-rest,boxes-30-frictionless,wall-6x6-frictionless,boxes-30-mu-2,arch-20-mu-1.5,grid-5,tiles-4,standard/three-disks,pyramid-8,ring-8,net-5,bridge-7-soft,boxes-27-soft-contacts,sheared-4,vice-4,caged-2,standard/jammed-box --steps 1 --method newton --newton-iterations 5 --form stiffness --linear-solver pcg,cholesky --preconditioner block-ic,ict,block-jacobi,spectral,tree,chebyshev,fsai,schwarz --linear-norm true --linear-tolerance 5e-7 --linear-iterations 2000 --repeat 1
# run: ball-rests,ball-spins-mu-2,block-slides,block-lands,block-mu-1.9,stack-2-ratio-1e6,stack-20-ratio-1,stack-20-ratio-1e2,stack-20-ratio-1e4,stack-20-ratio-1e6,stack-20-ratio-1e-6,stack-100-ratio-1,stack-100-ratio-1e6,arch-10,arch-50,arch-200,arch-400,arch-20-falls,arch-100-falls,wall-5x20,wall-20x20,wall-30x30,boxes-100-falling,boxes-300-falling,boxes-1000-falling,tables-27-falling,tables-54-falling,balls-300-falling,balls-1000-falling,boxes-100-bond,boxes-300-bond,boxes-1000-bond,boxes-100-rest,tables-12-rest,balls-300-rest,boxes-100-frictionless,balls-300-frictionless,wall-20x20-frictionless,stack-20-frictionless --steps 1 --method newton --newton-iterations 5 --form stiffness --linear-solver pcg,cholesky --preconditioner block-ic,ict,block-jacobi,spectral,tree,chebyshev,fsai,schwarz --linear-norm true --linear-tolerance 5e-7 --linear-iterations 2000 --repeat 1
# run: boxes-100-mu-1,boxes-100-mu-2,tables-27-mu-1.5,balls-300-mu-2,arch-100-mu-2,wall-10x10-mu-2,grid-10,grid-30,grid-6-plates-4,tiles-10,tiles-20,blocks-4,pyramid-20,pyramid-40,disks-10,disks-30,standard/ellipse,ring-20,ring-60,bridge-13,bridge-40,net-12,bridge-13-soft,bridge-40-soft,boxes-100-soft-contacts,wall-10x10-soft-contacts,sheared-7,sheared-10,sheared-10-mu-1,sheared-12,vice-10-ratio-1e6,vice-20x5,vice-30-frictionless,pressed-1,pressed-10,caged-5,jammed-box-steep,jammed-box-light --steps 1 --method newton --newton-iterations 5 --form stiffness --linear-solver pcg,cholesky --preconditioner block-ic,ict,block-jacobi,spectral,tree,chebyshev,fsai,schwarz --linear-norm true --linear-tolerance 5e-7 --linear-iterations 2000 --repeat 1
# run: wall-60x60,wall-100x100,balls-10000-falling,boxes-3000-bond --steps 1 --method newton --newton-iterations 5 --form stiffness --linear-solver pcg,cholesky --preconditioner block-ic,ict,spectral --linear-norm true --linear-tolerance 5e-7 --linear-iterations 2000 --repeat 1
# run: ball-slides,block-sticks,stack-7-ratio-1,stack-7-ratio-1e3,stack-7-ratio-1e6,arch-5,arch-20,arch-100,wall-4x4,wall-10x10,boxes-30-falling,balls-100-falling,tables-8-falling,boxes-27-bond,balls-64-rest,boxes-20-rest,boxes-30-frictionless,wall-6x6-frictionless,boxes-30-mu-2,arch-20-mu-1.5,grid-5,tiles-4,standard/three-disks,pyramid-8,ring-8,net-5,bridge-7-soft,boxes-27-soft-contacts,sheared-4,vice-4,caged-2,standard/jammed-box --steps 1 --method interior-point --newton-iterations 5 --linear-solver gmres --preconditioner jacobi,block-jacobi,ilut,lu --linear-norm true --linear-tolerance 5e-7 --linear-iterations 500 --repeat 1
# run: ball-rests,ball-spins-mu-2,block-slides,block-lands,block-mu-1.9,stack-2-ratio-1e6,stack-20-ratio-1,stack-20-ratio-1e2,stack-20-ratio-1e4,stack-20-ratio-1e6,stack-20-ratio-1e-6,stack-100-ratio-1,stack-100-ratio-1e6,arch-10,arch-50,arch-200,arch-400,arch-20-falls,arch-100-falls,wall-5x20,wall-20x20,wall-30x30,boxes-100-falling,boxes-300-falling,boxes-1000-falling,tables-27-falling,tables-54-falling,balls-300-falling,balls-1000-falling,boxes-100-bond,boxes-300-bond,boxes-1000-bond,boxes-100-rest,tables-12-rest,balls-300-rest,boxes-100-frictionless,balls-300-frictionless,wall-20x20-frictionless,stack-20-frictionless --steps 1 --method interior-point --newton-iterations 5 --linear-solver gmres --preconditioner jacobi,block-jacobi,ilut,lu --linear-norm true --linear-tolerance 5e-7 --linear-iterations 500 --repeat 1
# run: boxes-100-mu-1,boxes-100-mu-2,tables-27-mu-1.5,balls-300-mu-2,arch-100-mu-2,wall-10x10-mu-2,grid-10,grid-30,grid-6-plates-4,tiles-10,tiles-20,blocks-4,pyramid-20,pyramid-40,disks-10,disks-30,standard/ellipse,ring-20,ring-60,bridge-13,bridge-40,net-12,bridge-13-soft,bridge-40-soft,boxes-100-soft-contacts,wall-10x10-soft-contacts,sheared-7,sheared-10,sheared-10-mu-1,sheared-12,vice-10-ratio-1e6,vice-20x5,vice-30-frictionless,pressed-1,pressed-10,caged-5,jammed-box-steep,jammed-box-light --steps 1 --method interior-point --newton-iterations 5 --linear-solver gmres --preconditioner jacobi,block-jacobi,ilut,lu --linear-norm true --linear-tolerance 5e-7 --linear-iterations 500 --repeat 1
# run: wall-60x60,wall-100x100,balls-10000-falling,boxes-3000-bond --steps 1 --method interior-point --newton-iterations 5 --linear-solver gmres --preconditioner jacobi,block-jacobi,ilut,lu --linear-norm true --linear-tolerance 5e-7 --linear-iterations 500 --repeat 1
# quick: ball-slides,block-sticks,stack-7-ratio-1,stack-7-ratio-1e3,stack-7-ratio-1e6,arch-5,arch-20,arch-100,wall-4x4,wall-10x10,boxes-30-falling,balls-100-falling,tables-8-falling,boxes-27-bond,balls-64-rest,boxes-20-rest,boxes-30-frictionless,wall-6x6-frictionless,boxes-30-mu-2,arch-20-mu-1.5,grid-5,tiles-4,standard/three-disks,pyramid-8,ring-8,net-5,bridge-7-soft,boxes-27-soft-contacts,sheared-4,vice-4,caged-2,standard/jammed-box --steps 1 --method newton --newton-iterations 5 --form stiffness --linear-solver pcg,cholesky --preconditioner block-ic,ict,block-jacobi,spectral,tree,chebyshev,fsai,schwarz --linear-norm true --linear-tolerance 5e-7 --linear-iterations 2000 --repeat 3
# quick: ball-slides,block-sticks,stack-7-ratio-1,stack-7-ratio-1e3,stack-7-ratio-1e6,arch-5,arch-20,arch-100,wall-4x4,wall-10x10,boxes-30-falling,balls-100-falling,tables-8-falling,boxes-27-bond,balls-64-rest,boxes-20-rest,boxes-30-frictionless,wall-6x6-frictionless,boxes-30-mu-2,arch-20-mu-1.5,grid-5,tiles-4,standard/three-disks,pyramid-8,ring-8,net-5,bridge-7-soft,boxes-27-soft-contacts,sheared-4,vice-4,caged-2,standard/jammed-box --steps 1 --method interior-point --newton-iterations 5 --linear-solver gmres --preconditioner jacobi,block-jacobi,ilut,lu --linear-norm true --linear-tolerance 5e-7 --linear-iterations 500 --repeat 3
# select: steps=1 method=newton|interior-point newton_iterations=5 linear_norm=true linear_tolerance=5e-07 linear_iterations=2000|500
# rows: classes
# times: shown
# number: problems=sum(tried)
# number: reached=sum(solved * tried)
# number: percent=first(100 * reached / problems)
outcome = "Percentage of the problems that is solved:"
do for [p = 1:panels] { outcome = outcome."\n".panel_name(p).":"; do for [s = 1:series_of(p)] { outcome = outcome.(s > 1 ? "," : "").sprintf(" %s %.0f", label_of(p, s), number_of("percent", p, s)) } }
about = "Five Newton systems in the stiffness formulation with pcg, or Cholesky's factor, and five of the interior-point method with gmres, of the 113 problems of the standard set, by class. A problem is solved where each system is, to a residual of 1e-6 of the first. A cell: percentage of the problems of a class that are solved in at most twice the time of the best. Time: assembly, set-up and solves. A cross: not all are solved."
brief = "Numbers: percentage of the problems of a class within twice the least time. Crosses: not all problems are solved, to a residual of 1e-6."
entries = 0
classes = rows_of(1, 1)
named(t) = t eq "cholesky" ? "Cholesky" : t
cell_high = 13 * k; class_high = 58 * k; left_space = 66
array top_[panels]; y_ = 14 * k
do for [p = 1:panels] { top_[p] = y_; y_ = y_ + cell_high * series_of(p) + 18 * k }
body = y_ + class_high - 18 * k
@begin
unset grid; unset tics; unset border; unset key
set xrange [-0.5:classes - 0.5]
set cbrange [0:1]; unset colorbox
shade(x) = sprintf("%.0f", 100 * x)
number_font = sprintf(",%g", smaller(7, 0.3 * (page_width - (left_space + 6) * k) / classes / k * 1.35) * k)
do for [p = 1:panels] {
    eval(spot(left_space * k, head + top_[p], page_width - (left_space + 6) * k, cell_high * series_of(p)))
    set yrange [series_of(p) + 0.5:0.5]
    unset label
    if (p == panels) { set xtics () scale 0 rotate by 45 right nomirror noenhanced font small }
    eval(panel_named(panel_name(p)))
    do for [s = 1:series_of(p)] { set label 10 + s named(label_of(p, s)) at graph 0, first s right noenhanced font small offset -0.5, 0 }
    plot for [s = 1:series_of(p)] panel_file(p) index (s - 1) using 0:(s):(0.5):(0.46):(int(255 - 155 * $4) * 65536 + int(255 - 90 * $4) * 256 + 255) with boxxyerror fs solid border lc rgb "#cccccc" fc rgb variable notitle, \
         for [s = 1:series_of(p)] panel_file(p) index (s - 1) using 0:(s):(shade($4)) with labels font number_font noenhanced notitle, \
         for [s = 1:series_of(p)] panel_file(p) index (s - 1) using ($0 + 0.4):($3 < 1 ? s - 0.28 : NaN) with points pt 2 ps 0.35 lc rgb "#D55E00" lw 1.2 notitle, \
         for [q_ = panels:p] panel_file(q_) index 0 using 0:(-1):xtic(1) with points notitle
}
