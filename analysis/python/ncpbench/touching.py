"""Which geoms of a model touch in MuJoCo, with what friction and what margin."""
import numpy

try:
    import mujoco
except ImportError:
    mujoco = None


def disabled(model, *flags):
    """whether one of these flags of <option><flag> is disabled"""
    return any(model.opt.disableflags & getattr(mujoco.mjtDisableBit, "mjDSBL_" + flag) for flag in flags)


def enabled(model, flag):
    return bool(model.opt.enableflags & getattr(mujoco.mjtEnableBit, "mjENBL_" + flag, 0))  # older versions have fewer


def preferred(rank, value):
    """of each two geoms the value of the one that ranks higher, or the larger one"""
    value = numpy.asarray(value)
    higher = rank[:, None] - rank[None]
    return numpy.where(higher > 0, value[:, None], numpy.where(higher < 0, value[None], numpy.maximum(value[:, None], value[None])))


class Touching:
    """Matrices over the model's geoms: `pairs` tells which touch, `friction` has the coefficients, 0 of frictionless contacts; `turning` tells where
    contacts resist spinning or rolling. `margin` is the distance that each geom keeps, of which the two of a contact add up."""

    def __init__(self, model):
        self.model = model
        rank = model.geom_priority
        self.pairs = self.met()
        self.friction, self.dimensions = preferred(rank, model.geom_friction[:, 0]), preferred(rank, model.geom_condim)
        self.margin = model.geom_margin.copy()
        self.given = model.npair if self.pairs.size and not disabled(model, "CONTACT", "CONSTRAINT") else 0
        for p in range(self.given):
            self.give(p)
        if enabled(model, "OVERRIDE"):
            self.friction[:] = model.opt.o_friction[0]
            self.margin[:] = model.opt.o_margin / 2
        self.friction[self.dimensions == 1] = 0
        self.turning = self.pairs & (self.dimensions > 3)

    def met(self):
        """by types, families and <exclude>"""
        model = self.model
        count, weld = model.ngeom, model.body_weldid[model.geom_bodyid]
        if disabled(model, "CONTACT", "CONSTRAINT"):
            return numpy.zeros((count, count), bool)
        found = (model.geom_contype[:, None] & model.geom_conaffinity[None]) != 0
        found = (found | found.T) & (weld[:, None] != weld[None])
        if not disabled(model, "FILTERPARENT"):
            parent = model.body_weldid[model.body_parentid[weld]]
            child = (parent[:, None] == weld[None]) & (weld[None] != 0)
            found &= ~(child | child.T)
        for signature in map(int, model.exclude_signature):
            apart = (model.geom_bodyid == signature >> 16)[:, None] & (model.geom_bodyid == signature & 0xffff)[None]
            found &= ~(apart | apart.T)
        return found

    def give(self, p):
        """a <pair>"""
        model = self.model
        geoms = int(model.pair_geom1[p]), int(model.pair_geom2[p])
        for a, b in (geoms, geoms[::-1]):
            self.pairs[a, b], self.friction[a, b], self.dimensions[a, b] = True, model.pair_friction[p, 0], model.pair_dim[p]

    def touches(self, geom):
        return self.pairs[geom].any()
