/* One fill-reducing ordering at a time: METIS draws its random numbers from the process's one generator (srand, rand),
 * which it seeds again for each. Two at once, of copies of a batch on threads, would disturb each other, and results
 * would depend on which was faster. */
#ifndef NB_BASE_ORDERING_H
#define NB_BASE_ORDERING_H

/* Around every call of a library that may order by METIS; waits for those of other threads. */
void nb_ordering_begin(void);
void nb_ordering_end(void);

#endif
