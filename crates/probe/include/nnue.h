/*
 * HalfKP networks (41024->256x2-32-32-1) for C and C++: a drop-in replacement for nnue-probe.
 *
 * Load a network once with nnue_init, then evaluate from as many threads as you like. Values are in
 * Stockfish's internal units (a pawn is a little above 200), from the side to move.
 *
 * What differs from nnue-probe:
 *  - nothing is printed: nnue_init_status and nnue_last_error report errors;
 *  - a failed call returns NNUE_ERROR and never ends the program. A call fails when no network is loaded, a
 *    pointer is NULL, a FEN is invalid, a piece, square or player is out of range, two pieces share a
 *    square, or the kings do not come first;
 *  - nnue_init may be called again while other threads evaluate: calls in progress finish with the old
 *    network. If loading fails, the old network stays;
 *  - an NNUEdata need not be aligned, although the declaration below aligns it.
 */
#ifndef TABIYA_NNUE_H
#define TABIYA_NNUE_H

#include <limits.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#define NNUE_ALIGNAS(n) alignas(n)
#elif defined(__STDC_VERSION__) && __STDC_VERSION__ >= 201112L
#define NNUE_ALIGNAS(n) _Alignas(n)
#else
#define NNUE_ALIGNAS(n) __attribute__((aligned(n)))
#endif

/* Returned by a failed call; no position has this value. */
#define NNUE_ERROR INT_MIN

/* Players. */
enum { NNUE_WHITE = 0, NNUE_BLACK = 1 };

/* Pieces. 0 ends a list of them. */
enum {
    NNUE_NONE = 0,
    NNUE_WKING = 1, NNUE_WQUEEN, NNUE_WROOK, NNUE_WBISHOP, NNUE_WKNIGHT, NNUE_WPAWN,
    NNUE_BKING = 7, NNUE_BQUEEN, NNUE_BROOK, NNUE_BBISHOP, NNUE_BKNIGHT, NNUE_BPAWN
};

/* Squares are A1 = 0, B1 = 1 to H8 = 63. In a DirtyPiece, 64 is off the board. */

/* Values of nnue_init_status. */
enum {
    NNUE_NOT_INITIALIZED = -1, /* nnue_init has not been called */
    NNUE_LOADED = 0,           /* the last file that nnue_init was given is loaded */
    NNUE_BAD_ARGUMENT = 1,     /* the file name was NULL */
    NNUE_UNREADABLE = 2,       /* the file could not be read */
    NNUE_BAD_FILE = 3,         /* the file is not a valid HalfKP network */
    NNUE_INTERNAL = 4          /* a defect of this library */
};

/* The pieces that a move changes. pc[0] is the piece that moves, if any. A captured piece goes to 64; a
 * promoting pawn goes to 64 and the promoted piece comes from 64. */
typedef struct DirtyPiece {
    int dirtyNum; /* number of entries: 0 (a null move) to 3 */
    int pc[3];
    int from[3];
    int to[3];
} DirtyPiece;

/* The accumulators of White and Black. */
typedef struct Accumulator {
    NNUE_ALIGNAS(64) int16_t accumulation[2][256];
    int computedAccumulation; /* whether they are valid; set it to 0 for a new position */
} Accumulator;

/* The incremental state of each position on the path from the root. */
typedef struct NNUEdata {
    Accumulator accumulator;
    DirtyPiece dirtyPiece; /* the move that led here */
} NNUEdata;

/* Loads a network; see nnue_init_status, and nnue_last_error on the same thread. */
void nnue_init(const char *evalFile);

/* The status of the last nnue_init on any thread. */
int nnue_init_status(void);

/* The last error message of this thread in UTF-8; empty if there was none. Valid until the next error on
 * this thread. */
const char *nnue_last_error(void);

/* The value of a FEN. The position need not be legal, but each side must have one king. Only the pieces
 * and the side to move matter. */
int nnue_evaluate_fen(const char *fen);

/* The value of a piece list for the side to move. pieces[0] is the white king, pieces[1] the black king;
 * then the others in any order; then 0. At most 32 pieces. */
int nnue_evaluate(int player, int *pieces, int *squares);

/* The same, incrementally. nnue_data has three entries: nnue_data[0] is this position, nnue_data[1] and
 * nnue_data[2] are one and two plies earlier, or NULL. If nnue_data[0] is not computed, its accumulators
 * are updated from nnue_data[1] if that is computed, else from nnue_data[2] through the move in
 * nnue_data[1], else refreshed from the pieces; then it is marked as computed. nnue_data[0] must not be
 * NULL. */
int nnue_evaluate_incremental(int player, int *pieces, int *squares, NNUEdata **nnue_data);

#ifdef __cplusplus
}
#endif

#endif
