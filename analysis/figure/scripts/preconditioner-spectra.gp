# title: Eigenvalues of Newton systems before and after preconditioners
# run: arch,beam --settle 10 --warm-start off --steps 1 --lead 9 --lead-exact on --newton-iterations 1 --linear-iterations 50 --store-systems --form stiffness --linear-solver pcg --preconditioner all
# run: wall --set width=8 --set height=6 --settle 10 --warm-start off --steps 1 --lead 9 --lead-exact on --newton-iterations 1 --linear-iterations 50 --store-systems --form stiffness --linear-solver pcg --preconditioner all
# run: granular --method newton --set count=80 --settle 5 --warm-start off --steps 1 --lead 9 --lead-exact on --newton-iterations 1 --linear-iterations 50 --store-systems --form stiffness --linear-solver pcg --preconditioner all
# quick: arch --settle 5 --warm-start off --steps 1 --lead 9 --lead-exact on --newton-iterations 1 --linear-iterations 20 --store-systems --form stiffness --linear-solver pcg --preconditioner all
# quick: wall --set width=4 --set height=3 --settle 5 --warm-start off --steps 1 --lead 9 --lead-exact on --newton-iterations 1 --linear-iterations 20 --store-systems --form stiffness --linear-solver pcg --preconditioner all
# with: preconditioners
# select: steps=1 newton_iterations=1 lead=9 lead_exact=1 linear_iterations=50|20 linear_solver=pcg form=stiffness
# panel: scenario
# series: preconditioner
# rows: spectra
outcome = "Condition, the largest over the least eigenvalue:"
do for [p = 1:panels] { outcome = outcome."\n".spaced(panel_name(p)).":"; do for [s = 1:series_of(p)] { outcome = outcome.(s > 1 ? "," : "")." ".label_of(p, s)." ".number("%.2g", most_of(p, s, 2) / least_of(p, s, 2)) } }
about = "The system of one Newton iteration, the tenth, in the stiffness form, dense: eigenvalues of P A, ascending, against their number. Without a preconditioner P = 1, and eigenvalues are in kg and kg m^2. Iterations before are exact, so that all have one system."
brief = "Eigenvalues of P A in the stiffness form, ascending; none: of A itself, in kg and kg m^2."
tall = 120 * k; least_wide = 140
@begin
set logscale y; set format y "10^{%L}"
do for [p = 1:panels] {
    @place
    eval(x_named("number of the eigenvalue"))
    y_name = "eigenvalue"; @y_label
    plot for [s = 1:series_of(p)] panel_file(p) index (s - 1) using 1:2 with lines ls s notitle, for [s = 1:series_of(p)] panel_file(p) index (s - 1) every every_of(p, s)::first_of(p, s) using 1:2 with points ls s notitle
}
