# title: Volume that a hollow ball loses when it is squeezed (Larionov et al. 2023, fig. 8, table II)
# run: ball-squish --set frequency=3 --set volume=gas,nearly-incompressible,quadratic --set compression=1e6,1,0.1,0.01 --time-step 0.002 --steps 150 --form condensed --linear-solver cholesky --damping 1 --newton-tolerance 1e-6 --linear-history off --repeat 0
# quick: ball-squish --set frequency=1 --set volume=gas,quadratic --set compression=1,0.01 --time-step 0.01 --steps 30 --form condensed --linear-solver cholesky --damping 1 --newton-tolerance 1e-6 --linear-history off --repeat 0
# select: scenario=ball-squish
# panel: @volume
# series: @compression
# rows: step
# columns: step time cavity_volume cavity_pressure
array first[panels]; do for [p = 1:panels] { first[p] = NaN }
outcome = "Volume lost in the end:"
do for [p = 1:panels] {
    outcome = outcome.sprintf("%s %s", p > 1 ? ";" : "", value_in(panel_name(p)))
    do for [s = 1:series_of(p)] {
        if (has(p, s, 3)) { first[p] = first_of_column(p, s, 3); outcome = outcome.sprintf("%s k = %s %.3g %% at %.3g kPa", s > 1 ? "," : "", value_in(label_of(p, s)), 100 * (1 - last_of(p, s, 3) / first[p]), last_of(p, s, 4) / 1000) }
    }
}
outcome = outcome.".".(papers ? " Larionov et al. (2023): 33.6, 27.8, 27.7 % with k = 1 and .49, .36 % with .01 (1000, 55000 and 160000 elements), and 74 to 75 % without, where Young's modulus is tenfold." : "")
about = "A hollow ball of 100 kPa between two planes that come together by 74 % of its diameter in 0.3 s. The volume that is lost is of the first step's, by the law of what it holds and its compression k in 1/atm. Meshes, thickness (a fifth of the radius), Poisson's ratio (0.4) and way are ours; the paper's h is 1 ms. The way is such that as much is lost without a filling as in the paper."
brief = "Volume lost by a squeezed ball, by law and compression k".(papers ? " (paper: 27.7 to 33.6 % with k = 1, .36 to .49 % with .01)." : ".")
do for [s = 1:entries] { entry[s] = "k = ".value_in(label_of(1, s))."/atm"; entry_kind[s] = "l" }
tall = 120 * k
@begin
set logscale y; set yrange [0.01:100]
do for [p = 1:panels] {
    @place
    x_name = "time [s]"; @x_label
    y_name = "volume lost [%]"; @y_label
    plot for [s = 1:series_of(p)] panel_file(p) index (s - 1) using 2:(larger(100 * (1 - $3 / first[p]), 1e-3)) with lines ls s notitle
}
