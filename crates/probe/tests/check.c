/*
 * A C program that uses the library: check NETWORK BAD_NETWORK SCRIPT
 *
 * It tries invalid calls first, then runs the script and compares values. Lines of the script:
 *   F value fen                      the value of a FEN
 *   G                                start of a game
 *   P value player pieces… 0 dirty…  the next position of the game: pairs of piece and square; the
 *                                    number of changed pieces, then piece, from and to of each
 *   S dirty…                         a position that is not evaluated
 */
#include "nnue.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(offsetof(Accumulator, computedAccumulation) == 1024, "layout");
_Static_assert(sizeof(Accumulator) == 1088, "layout");
_Static_assert(sizeof(DirtyPiece) == 40, "layout");
_Static_assert(offsetof(NNUEdata, dirtyPiece) == 1088, "layout");
_Static_assert(sizeof(NNUEdata) == 1152, "layout");

#define CHECK(condition)                                                                       \
    do {                                                                                       \
        if (!(condition)) {                                                                    \
            fprintf(stderr, "line %d: %s (%s)\n", __LINE__, #condition, nnue_last_error());    \
            exit(1);                                                                           \
        }                                                                                      \
    } while (0)

#define START "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"

static int error_contains(const char *words) { return strstr(nnue_last_error(), words) != NULL; }

static void invalid_calls(void) {
    int pieces[40] = {NNUE_WKING, NNUE_BKING, NNUE_WPAWN, 0};
    int squares[40] = {4, 60, 12, 0};
    int kings_last[] = {NNUE_WPAWN, NNUE_WKING, NNUE_BKING, 0};
    int two_kings[] = {NNUE_WKING, NNUE_BKING, NNUE_WKING, 0};
    int no_piece[] = {NNUE_WKING, NNUE_BKING, 13, 0};
    int no_piece_either[] = {NNUE_WKING, NNUE_BKING, -5, 0};
    int no_square[] = {4, 60, 64};
    int no_square_either[] = {4, 60, INT_MIN};
    int same_square[] = {4, 60, 60};
    int many[40], i;
    NNUEdata data, before;
    NNUEdata *both[3] = {&data, &before, NULL};
    NNUEdata *nothing[3] = {NULL, NULL, NULL};

    CHECK(nnue_evaluate_fen(NULL) == NNUE_ERROR && error_contains("NULL"));
    CHECK(nnue_evaluate_fen("") == NNUE_ERROR);
    CHECK(nnue_evaluate_fen("nonsense") == NNUE_ERROR);
    CHECK(nnue_evaluate_fen("\xff\xfe") == NNUE_ERROR);
    CHECK(nnue_evaluate_fen("8/8/8/8/8/8/8/8 w - - 0 1") == NNUE_ERROR && error_contains("king"));
    CHECK(nnue_evaluate(0, NULL, squares) == NNUE_ERROR && error_contains("pieces"));
    CHECK(nnue_evaluate(0, pieces, NULL) == NNUE_ERROR && error_contains("squares"));
    CHECK(nnue_evaluate(2, pieces, squares) == NNUE_ERROR && error_contains("player"));
    CHECK(nnue_evaluate(-1, pieces, squares) == NNUE_ERROR && error_contains("player"));
    CHECK(nnue_evaluate(0, kings_last, squares) == NNUE_ERROR && error_contains("king"));
    CHECK(nnue_evaluate(0, two_kings, squares) == NNUE_ERROR && error_contains("king"));
    CHECK(nnue_evaluate(0, no_piece, squares) == NNUE_ERROR && error_contains("13"));
    CHECK(nnue_evaluate(0, no_piece_either, squares) == NNUE_ERROR && error_contains("-5"));
    CHECK(nnue_evaluate(0, pieces, no_square) == NNUE_ERROR && error_contains("64"));
    CHECK(nnue_evaluate(0, pieces, no_square_either) == NNUE_ERROR && error_contains("square"));
    CHECK(nnue_evaluate(0, pieces, same_square) == NNUE_ERROR && error_contains("e8"));
    for (i = 0; i < 40; i++) {
        many[i] = i == 0 ? NNUE_WKING : i == 1 ? NNUE_BKING : NNUE_WQUEEN;
        squares[i] = i;
    }
    CHECK(nnue_evaluate(0, many, squares) == NNUE_ERROR && error_contains("32"));

    CHECK(nnue_evaluate_incremental(0, pieces, squares, NULL) == NNUE_ERROR && error_contains("nnue_data"));
    CHECK(nnue_evaluate_incremental(0, pieces, squares, nothing) == NNUE_ERROR && error_contains("[0]"));
    memset(&before, 0x55, sizeof before);
    memset(&data, 0, sizeof data);
    data.dirtyPiece.dirtyNum = 4;
    CHECK(nnue_evaluate_incremental(0, pieces, squares, both) == NNUE_ERROR && error_contains("dirtyNum"));
    data.dirtyPiece.dirtyNum = -1;
    CHECK(nnue_evaluate_incremental(0, pieces, squares, both) == NNUE_ERROR && error_contains("dirtyNum"));
    data.dirtyPiece.dirtyNum = 1;
    data.dirtyPiece.pc[0] = 99;
    CHECK(nnue_evaluate_incremental(0, pieces, squares, both) == NNUE_ERROR && error_contains("99"));
    data.dirtyPiece.pc[0] = NNUE_WPAWN;
    data.dirtyPiece.to[0] = 65;
    CHECK(nnue_evaluate_incremental(0, pieces, squares, both) == NNUE_ERROR && error_contains("65"));
    CHECK(data.accumulator.computedAccumulation == 0);
    /* Garbage accumulators give a garbage value, but no error. */
    data.dirtyPiece.to[0] = 64;
    CHECK(nnue_evaluate_incremental(0, pieces, squares, both) != NNUE_ERROR);
    CHECK(data.accumulator.computedAccumulation == 1);
}

static int number(char **at) { return (int)strtol(*at, at, 10); }

static void read_dirty(char **at, DirtyPiece *dirty) {
    int i;
    dirty->dirtyNum = number(at);
    for (i = 0; i < dirty->dirtyNum; i++) {
        dirty->pc[i] = number(at);
        dirty->from[i] = number(at);
        dirty->to[i] = number(at);
    }
}

int main(int argc, char **argv) {
    static NNUEdata game[1024];
    static char line[1024];
    int ply = -1, fens = 0, positions = 0;
    FILE *script;

    CHECK(argc == 4);
    CHECK(nnue_last_error()[0] == 0);
    CHECK(nnue_init_status() == NNUE_NOT_INITIALIZED);
    CHECK(nnue_evaluate_fen(START) == NNUE_ERROR && error_contains("no network"));
    nnue_init(NULL);
    CHECK(nnue_init_status() == NNUE_BAD_ARGUMENT);
    nnue_init("/nowhere/at/all");
    CHECK(nnue_init_status() == NNUE_UNREADABLE && error_contains("/nowhere/at/all"));
    nnue_init(argv[2]);
    CHECK(nnue_init_status() == NNUE_BAD_FILE && error_contains("cut off"));
    CHECK(nnue_evaluate_fen(START) == NNUE_ERROR && error_contains("no network"));

    nnue_init(argv[1]);
    CHECK(nnue_init_status() == NNUE_LOADED);
    invalid_calls();
    /* If loading fails, the old network stays. */
    nnue_init(argv[2]);
    CHECK(nnue_init_status() == NNUE_BAD_FILE);
    CHECK(nnue_evaluate_fen(START) != NNUE_ERROR);

    script = fopen(argv[3], "r");
    CHECK(script != NULL);
    while (fgets(line, sizeof line, script)) {
        char *at = line + 1;
        if (line[0] == 'F') {
            int value = number(&at);
            CHECK(nnue_evaluate_fen(at) == value);
            fens++;
        } else if (line[0] == 'G') {
            ply = -1;
        } else {
            int value = 0, player = 0, pieces[33], squares[33], n = 0, evaluated = line[0] == 'P';
            NNUEdata *data[3];
            if (evaluated) {
                value = number(&at);
                player = number(&at);
                while ((pieces[n] = number(&at)) != 0) squares[n++] = number(&at);
            }
            CHECK(++ply < 1024);
            game[ply].accumulator.computedAccumulation = 0;
            read_dirty(&at, &game[ply].dirtyPiece);
            if (!evaluated) continue;
            data[0] = &game[ply];
            data[1] = ply > 0 ? &game[ply - 1] : NULL;
            data[2] = ply > 1 ? &game[ply - 2] : NULL;
            CHECK(nnue_evaluate(player, pieces, squares) == value);
            CHECK(nnue_evaluate_incremental(player, pieces, squares, data) == value);
            CHECK(game[ply].accumulator.computedAccumulation == 1);
            /* Again, now that it is computed. */
            CHECK(nnue_evaluate_incremental(player, pieces, squares, data) == value);
            positions++;
        }
    }
    fclose(script);
    printf("%d FENs, %d positions\n", fens, positions);
    return 0;
}
