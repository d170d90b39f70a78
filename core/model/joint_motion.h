/* How a joint's row moves with its bodies, told by where it starts. */
#ifndef NB_MODEL_JOINT_MOTION_H
#define NB_MODEL_JOINT_MOTION_H

/* The numbers of a start: vectors in the world's axes, arms from the bodies' centres to their anchors. */
typedef enum nb_joint_motion {
    NB_JOINT_TRANSLATION, /* axis e, fixed in b; arms of a and b; from b's anchor to a's */
    NB_JOINT_LENGTH,      /* three unused; arms of a and b; from b's anchor to a's */
    NB_JOINT_ROTATION_X,  /* quaternions w x y z: a's frame seen from b's; b's frame in the world */
    NB_JOINT_ROTATION_Y,
    NB_JOINT_ROTATION_Z
} nb_joint_motion;

enum {
    NB_JOINT_NUMBERS = 12
};

#endif
