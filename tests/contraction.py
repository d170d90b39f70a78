"""One contraction rate for three iterations that lag a part of friction: Macklin's compliance W (newton), De Saxce's term
mu |v_t| (psor's rounds) and the normal force (passes of smoothed). Predicted: the derivative of the pass map at its
fixed point, of the one contact of an ellipse that slides. Measured: what the methods report.

    NCPBENCH=build/ncpbench python3 tests/contraction.py
"""
import unittest

import h5py
import numpy

from cli_case import Case

H, STIFFNESS, THICKNESS = 0.02, 1e4, 1e-3
SCENE = ["ellipse", "--time-stepping", "implicit", "--friction-law", "coulomb", "--geometry", "frozen", "--time-step", str(H), "--repeat", "0"]


def slope(passes, x):
    """the derivative of a map at x"""
    step = 1e-5 * abs(x)
    return (passes(x + step) - passes(x - step)) / (2 * step)


class Contact:
    """the Delassus block of the contact, its velocities without impulses, and its solution: along the normal and the slip"""
    def __init__(self, final, mu):
        impulse = H * numpy.array([final["lambda_normal"][0], final["lambda_friction"][0, 0]])
        axes = [final["contact_normal"][0], final["contact_tangent"][0, 0]]
        arm = final["contact_point"][0] - final["q_before"][1, :3]
        turns = [numpy.cross(arm, axis)[1] for axis in axes]
        inertia = numpy.dot(turns, impulse) / (final["u"][1, 4] - final["u_before"][1, 4])
        self.block = numpy.array([[a @ b + s * t / inertia for b, t in zip(axes, turns)] for a, s in zip(axes, turns)])
        self.impulse, self.mu = impulse, mu
        self.slip = final["slip"][0, 0]
        self.free = numpy.array([0, self.slip]) - self.block @ impulse
        self.sense = numpy.sign(self.slip)

    def compliance(self):
        """newton: v_t + W z_t = 0, then W of these by Fischer-Burmeister with r = 1 kg (scaling time-step)"""
        def passes(w):
            normal, friction = numpy.linalg.solve(self.block + numpy.diag([0, w]), -self.free)
            v, left = abs(w * friction), self.mu * normal - abs(friction)
            root = numpy.hypot(v, left)
            return (v * v / (root + left) if left > 0 else root - left) / (self.mu * normal - left * left / (root + v))
        return slope(passes, abs(self.slip) / (self.mu * self.impulse[0]))

    def shift(self):
        """psor: the relaxed law with a shift s, v_n + s = mu |v_t| on the cone, then s = mu |v_t|"""
        along, across = numpy.array([1, -self.sense * self.mu]), numpy.array([-1, self.sense * self.mu])
        def passes(shift):
            normal = (shift - across @ self.free) / (across @ self.block @ along)
            return self.mu * self.sense * (self.free[1] + self.block[1] @ along * normal)
        return slope(passes, self.mu * abs(self.slip))

    def normal_force(self, gap, stiffness):
        """smoothed: friction of a given normal force, then the force of the gap; by its stiffness there"""
        stiff = H * H * 6 * stiffness * (THICKNESS - gap) / THICKNESS
        return self.mu * stiff * abs(self.block[0, 1]) / (1 + stiff * self.block[0, 0])


class Contraction(Case):
    def run_step(self, mu, step, *method):
        self.ncpbench("run", *SCENE, "--set", f"mu={mu}", "--from", f"motion.h5:0:{step}", "--steps", "1", *method, "-o", "step.h5", "--force", status=None)
        with h5py.File(self.path("step.h5")) as file:
            run = file["runs/0000"]
            return {k: v[()] for k, v in run["final"].items()}, {k: v[()].ravel() for k, v in run["newton"].items()}

    def measure(self, mu, step):
        """rates of the three: of the natural map, the shift, and the lag of normal forces"""
        _, rows = self.run_step(mu, step, "--method", "newton", "--damping", "1", "--linear-solver", "cholesky", "--scaling", "time-step",
                                "--ncp", "fischer-burmeister", "--newton-iterations", "60", "--newton-tolerance", "1e-14")
        error = rows["natural_map_error"]
        newton = [b / a for a, b in zip(error, error[1:]) if 1e-10 < b < 1e-4][-1]
        _, rows = self.run_step(mu, step, "--method", "psor", "--newton-iterations", "3000", "--newton-tolerance", "1e-13")
        psor = rows["contraction"][numpy.isfinite(rows["contraction"])][-1]
        _, rows = self.run_step(mu, step, "--method", "smoothed", "--friction-coupling", "lagged", "--friction-iterations", "40", "--lag-tolerance",
                                "1e-10", "--contact-stiffness", str(STIFFNESS), "--contact-tolerance", str(THICKNESS), "--contact-geometry", "start",
                                "--residual-tolerance", "1e-13")
        known = numpy.isfinite(rows["friction_lag"])
        lags = [rows["friction_lag"][known & (rows["friction_pass"] == k)][-1] for k in range(int(numpy.nanmax(rows["friction_pass"])))]
        smoothed = [b / a for a, b in zip(lags, lags[1:]) if b > 1e-7][-1]
        gap, stiffness = (rows[name][numpy.isfinite(rows[name])][-1] for name in ("least_gap", "contact_stiffness"))
        return newton, psor, smoothed, THICKNESS * gap, stiffness

    def test_one_contact(self):
        """W to the digits that differences of rounded errors have; rounds of psor are solved to a tenth each"""
        for mu, step in ((0.1, 54), (0.1, 80), (0.3, 54), (0.5, 54)):
            self.ncpbench("run", *SCENE, "--set", f"mu={mu}", "--method", "interior-point", "--newton-tolerance", "1e-12", "--steps", str(step + 1),
                          "--store-states", "1", "-o", "motion.h5", "--force")
            final, _ = self.run_step(mu, step, "--method", "interior-point", "--newton-tolerance", "1e-13")
            contact = Contact(final, mu)
            newton, psor, smoothed, *spring = self.measure(mu, step)
            predicted = contact.compliance(), contact.shift(), contact.normal_force(*spring)
            print(f"mu {mu}, slip {contact.slip:.3f} m/s: W {predicted[0]:.5f} {newton:.5f}, shift {predicted[1]:.4f} {psor:.4f}, "
                  f"normal force {predicted[2]:.4f} {smoothed:.4f}")
            self.assertAlmostEqual(newton, abs(predicted[0]), delta=1e-3 * abs(predicted[0]))
            self.assertAlmostEqual(smoothed, predicted[2], delta=0.01 * predicted[2])
            self.assertAlmostEqual(psor, abs(predicted[1]), delta=0.005)


if __name__ == "__main__":
    unittest.main()
