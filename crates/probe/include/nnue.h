/*
 * HalfKP networks (41024->256x2-32-32-1) for programs in C and C++: the functions of nnue-probe, in a
 * library of its own.
 *
 * Load a network once with nnue_init, then evaluate from as many threads as you like. Values are in
 * Stockfish's internal units (a pawn is a little above 200), from the side to move.
 *
 * What differs from nnue-probe:
 *  - nothing is printed: nnue_init_status and nnue_last_error say what went wrong;
 *  - a call that cannot be answered returns NNUE_ERROR, and never ends the program. That is so when no
 *    network is loaded, a pointer is NULL, a FEN cannot be read, a piece, square or player is out of
 *    range, two pieces share a square, or the kings do not come first;
 *  - nnue_init may be called again, while others evaluate: they go on with the network they have. A
 *    file that cannot be loaded leaves the network that was there;
 *  - an NNUEdata need not be aligned, though the declaration below asks for it.
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

/* What is returned instead of a value; no position is worth that. */
#define NNUE_ERROR INT_MIN

/* Players. */
enum { NNUE_WHITE = 0, NNUE_BLACK = 1 };

/* Pieces. 0 ends a list of them. */
enum {
    NNUE_NONE = 0,
    NNUE_WKING = 1, NNUE_WQUEEN, NNUE_WROOK, NNUE_WBISHOP, NNUE_WKNIGHT, NNUE_WPAWN,
    NNUE_BKING = 7, NNUE_BQUEEN, NNUE_BROOK, NNUE_BBISHOP, NNUE_BKNIGHT, NNUE_BPAWN
};

/* Squares are numbers from A1 = 0, B1 = 1 to H8 = 63. In a DirtyPiece, 64 is beside the board. */

/* What nnue_init_status says. */
enum {
    NNUE_NOT_INITIALIZED = -1, /* nnue_init has not been called */
    NNUE_LOADED = 0,           /* the last file that nnue_init was given is loaded */
    NNUE_BAD_ARGUMENT = 1,     /* the file name was NULL */
    NNUE_UNREADABLE = 2,       /* the file could not be read */
    NNUE_BAD_FILE = 3,         /* the file holds no HalfKP network, or not a whole one */
    NNUE_INTERNAL = 4          /* a defect of this library */
};

/* What a move changed. pc[0] is the piece that moved, if any did. A piece that is taken goes to 64, a
 * pawn that promotes goes to 64 and what it becomes comes from 64. */
typedef struct DirtyPiece {
    int dirtyNum; /* how many of the entries are used: 0 (a null move) to 3 */
    int pc[3];
    int from[3];
    int to[3];
} DirtyPiece;

/* Sums of the first layer, White's and Black's. */
typedef struct Accumulator {
    NNUE_ALIGNAS(64) int16_t accumulation[2][256];
    int computedAccumulation; /* whether they are computed; set it to 0 for a new position */
} Accumulator;

/* What an incremental evaluation keeps for each position on the way from the root. */
typedef struct NNUEdata {
    Accumulator accumulator;
    DirtyPiece dirtyPiece; /* the move that led here */
} NNUEdata;

/* Loads a network. What came of it: nnue_init_status, and nnue_last_error on the same thread. */
void nnue_init(const char *evalFile);

/* What came of the last nnue_init, on whatever thread: NNUE_LOADED or why not. */
int nnue_init_status(void);

/* What went wrong last on this thread, as a sentence in UTF-8; empty if nothing has. It stays valid
 * until something else goes wrong on this thread. */
const char *nnue_last_error(void);

/* The value of a FEN. The position need not be legal, but each player has one king. Only the pieces
 * and the player matter. */
int nnue_evaluate_fen(const char *fen);

/* The value of pieces on squares for a player to move. pieces[0] is the white king, pieces[1] the
 * black one; then the others in any order; then 0. At most 32 pieces in all. */
int nnue_evaluate(int player, int *pieces, int *squares);

/* The same, with the sums of earlier positions used where they can be. nnue_data has three entries:
 * nnue_data[0] is this position; nnue_data[1] and nnue_data[2] are one and two moves before it, or
 * NULL. If nnue_data[0] is not computed yet, it is made from nnue_data[1] if that is, else from
 * nnue_data[2] by way of the move in nnue_data[1], else from the pieces; and then marked as computed.
 * nnue_data[0] must not be NULL. */
int nnue_evaluate_incremental(int player, int *pieces, int *squares, NNUEdata **nnue_data);

#ifdef __cplusplus
}
#endif

#endif
