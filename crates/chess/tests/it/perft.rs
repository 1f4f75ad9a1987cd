//! Perft: the counts that everybody agrees on. All of them were counted by Stockfish, the small ones
//! by python-chess too.
//!
//! Tests are built with debug assertions, so every move made here is followed by a check of all that
//! a position promises.

use tabiya_chess::{FenStyle, Position, chess960, perft};

/// Name, FEN, and the counts for one move, two moves and so on.
type Case = (&'static str, &'static str, &'static [u64]);

/// The positions of the Chess Programming Wiki.
#[rustfmt::skip]
const STANDARD: &[Case] = &[
    ("start", "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", &[20, 400, 8_902, 197_281]),
    ("kiwipete", "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1", &[48, 2_039, 97_862]),
    ("position 3", "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1", &[14, 191, 2_812, 43_238, 674_624]),
    ("position 4", "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1", &[6, 264, 9_467, 422_333]),
    ("position 4 mirrored", "r2q1rk1/pP1p2pp/Q4n2/bbp1p3/Np6/1B3NBn/pPPP1PPP/R3K2R b KQ - 0 1", &[6, 264, 9_467, 422_333]),
    ("position 5", "rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8", &[44, 1_486, 62_379]),
    ("position 6", "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10", &[46, 2_079, 89_890]),
];

/// Positions where a generator that is a little wrong counts wrong.
#[rustfmt::skip]
const TRICKY: &[Case] = &[
    ("rook lost to a fork", "4k3/8/8/7R/8/6n1/8/4K2R b K - 0 1", &[11, 221, 2_287, 51_942, 526_852]),
    ("en passant would uncover a check on the rank", "8/8/8/8/k2Pp2Q/8/8/3K4 b - d3 0 1", &[6, 136, 863, 20_471, 117_741]),
    ("en passant would uncover a check on the rank, white", "3k4/8/8/K2pP2r/8/8/8/8 w - d6 0 1", &[6, 94, 620, 10_473, 66_035]),
    ("taker pinned on the other diagonal", "8/8/2k5/8/3Pp3/8/8/4K2B b - d3 0 1", &[7, 62, 470, 5_174, 34_779]),
    ("taken pawn screens its king", "4k3/8/8/b7/3pP3/8/3P4/K3R3 b - e3 0 1", &[13, 158, 2_022, 28_608]),
    ("taker pinned on its file", "4r1k1/8/8/3pP3/8/8/8/4K3 w - d6 0 1", &[6, 82, 574, 8_889, 61_205]),
    ("taker pinned on the diagonal it takes along", "4k3/8/8/8/2pP4/8/B7/4K2R b - d3 0 1", &[7, 131, 818, 17_676]),
    ("en passant takes the checker", "8/8/8/2k5/2pP4/8/B7/4K3 b - d3 0 3", &[8, 72, 492, 5_380, 36_744]),
    ("two pawns may take en passant", "4k3/8/8/1PpP4/8/8/8/4K3 w - c6 0 1", &[9, 49, 394, 2_539, 21_640]),
    ("en passant gives a discovered check", "8/5k2/8/2Pp4/2B5/1K6/8/8 w - d6 0 1", &[15, 126, 1_928, 13_931, 206_379]),
    ("promotions on both sides", "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1", &[24, 496, 9_483, 182_838]),
    ("underpromotion gives check", "8/k1P5/8/1K6/8/8/8/8 w - - 0 1", &[10, 25, 268, 926, 10_857, 43_261]),
    ("castling gives check", "5k2/8/8/8/8/8/8/4K2R w K - 0 1", &[15, 66, 1_198, 6_399, 120_330]),
    ("long castling gives check", "3k4/8/8/8/8/8/8/R3K3 w Q - 0 1", &[16, 71, 1_286, 7_418, 141_077]),
    ("castling rights lost by capture", "r3k2r/1b4bq/8/8/8/8/7B/R3K2R w KQkq - 0 1", &[26, 1_141, 27_826]),
    ("castling is prevented by attack", "r3k2r/8/3Q4/8/8/5q2/8/R3K2R b KQkq - 0 1", &[44, 1_494, 50_509]),
    ("promotion takes a castling rook", "r3k2r/1P4P1/8/8/8/8/1p4p1/R3K2R w KQkq - 0 1", &[39, 1_007, 28_659]),
    ("discovered check", "8/8/1P2K3/8/2n5/1q6/8/5k2 b - - 0 1", &[29, 165, 5_160, 31_961]),
    ("double check by discovery", "3k4/8/8/b7/3N4/8/3R4/3QK3 w - - 0 1", &[21, 153, 3_947]),
    ("stalemate and checkmate", "8/8/2k5/5q2/5n2/8/5K2/8 b - - 0 1", &[37, 183, 6_559, 23_527]),
    ("self stalemate", "K1k5/8/P7/8/8/8/8/8 w - - 0 1", &[2, 6, 13, 63, 382, 2_217]),
    ("most moves", "R6R/3Q4/1Q4Q1/4Q3/2Q4Q/Q4Q2/pp1Q4/kBNN1KB1 w - - 0 1", &[218, 99]),
    ("promotion by taking the checker", "4r3/3P4/8/7k/8/8/8/4K3 w - - 0 1", &[8, 94, 995, 12_408]),
    ("a pinned pawn promotes only within its pin", "8/8/8/8/K7/8/1p6/k1R5 b - - 0 1", &[9, 99, 769, 8_735]),
    ("pawn pinned on the rank cannot promote", "8/r2P1K2/8/8/8/8/8/k7 w - - 0 1", &[8, 96, 870, 13_569]),
    ("pawn pinned on a diagonal takes the pinner and promotes", "2b5/3P4/4K3/8/8/8/8/k7 w - - 0 1", &[11, 54, 722, 5_999]),
    ("double check leaves only the king", "4k3/8/4r3/8/8/3n4/8/R3K2R w KQ - 0 1", &[3, 78, 1_758, 39_534]),
];

/// Castling that exists only in Chess960.
#[rustfmt::skip]
const CHESS960: &[Case] = &[
    ("castling rook pinned on the home rank", "4k3/8/8/8/8/8/8/qRK4R w HB - 0 1", &[16, 265, 5_087, 106_265]),
    ("king and rook swap places", "1k6/8/8/8/8/8/8/5KR1 w G - 0 1", &[13, 60, 1_065, 5_379, 100_560]),
    ("king stays, rook jumps", "4k1r1/8/8/8/8/8/8/R5KR w HA - 0 1", &[3, 42, 896, 14_103]),
    ("rook stays, king jumps", "4k3/8/8/8/8/8/8/1K1R1R2 w D - 0 1", &[24, 34, 896, 3_235]),
    ("king goes one square to the c-file", "4k3/8/8/8/8/8/8/RK5R w HA - 0 1", &[25, 106, 2_922, 16_052]),
    ("king on the corner side of everything", "rk5r/p6p/8/8/8/8/P6P/RK5R b HAha - 0 1", &[14, 186, 3_310]),
    ("inner rook castles", "1rr1k1rr/8/8/8/8/8/8/1RR1K1RR w GCgc - 0 1", &[36, 1_105, 39_925]),
    ("a piece stands on the rook's target", "4k3/8/8/8/8/8/8/1RK1BN1R w HB - 0 1", &[32, 143, 4_886]),
    ("attacked passage", "4k3/8/8/8/8/1b6/8/RK5R w HA - 0 1", &[22, 266, 5_993, 72_167]),
    ("king castles from g to c", "r5kr/8/8/8/8/8/8/R5KR w HAha - 0 1", &[24, 479, 11_069]),
    ("castling rook pinned, two squares away", "4k3/8/8/8/8/8/8/r1RK4 w C - 0 1", &[6, 74, 1_052, 16_172]),
    ("en passant and Chess960 castling together", "1r2k1r1/4p1p1/8/3P1P2/3p1p2/8/4P1P1/1R2K1R1 w GBgb - 0 1", &[24, 540, 12_407]),
];

/// Some of the 960 starts: number, Black's home rank, counts.
#[rustfmt::skip]
const STARTS: &[(u16, &str, [u64; 3])] = &[
    (0, "bbqnnrkr", [20, 400, 9_006]),
    (1, "bqnbnrkr", [20, 400, 8_948]),
    (17, "bnqbnrkr", [20, 400, 8_936]),
    (54, "nnbrqbkr", [19, 361, 7_678]),
    (91, "nnrkbrqb", [20, 400, 8_834]),
    (128, "bbnrqnkr", [20, 400, 9_048]),
    (165, "nrbbnkqr", [19, 361, 7_805]),
    (202, "qnrkbbnr", [21, 441, 10_185]),
    (239, "nrqknrbb", [19, 361, 7_803]),
    (276, "nbbrknrq", [19, 361, 7_803]),
    (313, "nqrbbkrn", [19, 361, 7_731]),
    (350, "nrkqrbbn", [18, 324, 6_656]),
    (387, "bqrnnkrb", [21, 441, 10_257]),
    (424, "rbnqbnkr", [20, 400, 9_054]),
    (461, "rnnbkqbr", [20, 400, 8_916]),
    (498, "brqnkbnr", [20, 400, 8_978]),
    (518, "rnbqkbnr", [20, 400, 8_902]),
    (535, "rnbkqnrb", [20, 400, 8_960]),
    (572, "rbnknrbq", [20, 400, 8_990]),
    (609, "brnbqkrn", [20, 400, 8_920]),
    (646, "rnbkrbqn", [19, 361, 7_729]),
    (683, "qrknbnrb", [20, 400, 8_956]),
    (720, "bbrknqnr", [21, 441, 10_261]),
    (757, "rkbbnnrq", [20, 400, 8_958]),
    (794, "rqknbbrn", [19, 361, 7_805]),
    (831, "rknqrnbb", [20, 400, 9_008]),
    (868, "qbbrkrnn", [19, 361, 7_706]),
    (905, "rkqbbrnn", [19, 361, 7_718]),
    (942, "rkrnqbbn", [19, 361, 7_822]),
    (959, "rkrnnqbb", [20, 400, 9_006]),
];

/// Larger counts are left to `tabiya perft`: here every move is checked, which takes time.
const MOST_BULK: u64 = 700_000;
const MOST_LEAVES: u64 = 200_000;

fn check(name: &str, position: &Position, counts: &[u64]) {
    for (depth, &expected) in (1..).zip(counts) {
        if expected <= MOST_BULK {
            assert_eq!(perft::bulk(position, depth), expected, "{name}, depth {depth}");
        }
        if expected <= MOST_LEAVES {
            let found = perft::every_leaf(position, depth);
            assert_eq!(found, expected, "{name}, depth {depth}, every leaf");
        }
    }
}

fn check_all(cases: &[Case]) {
    for (name, fen, counts) in cases {
        let position = Position::from_fen(fen).unwrap_or_else(|error| panic!("{name}: {error}"));
        check(name, &position, counts);
    }
}

#[test]
fn the_standard_positions_have_the_counts_that_are_known() {
    check_all(STANDARD);
}

#[test]
fn tricky_positions_have_the_counts_that_are_known() {
    check_all(TRICKY);
}

#[test]
fn chess960_castling_has_the_counts_that_are_known() {
    check_all(CHESS960);
}

#[test]
fn chess960_starts_have_the_home_rank_and_the_counts_of_their_number() {
    for (number, home_rank, counts) in STARTS {
        let position = chess960::start(*number).expect("a number below 960");
        let fen = position.fen_in(FenStyle::Shredder);
        assert_eq!(fen.split('/').next(), Some(*home_rank), "start {number}");
        check(&format!("start {number}"), &position, counts);
    }
}

#[test]
fn nothing_played_leads_to_one_position() {
    assert_eq!(perft::bulk(&Position::INITIAL, 0), 1);
    assert_eq!(perft::every_leaf(&Position::INITIAL, 0), 1);
}

#[test]
fn a_finished_game_leads_nowhere() {
    let mated = "rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3";
    let stalemated = "k7/2Q5/1K6/8/8/8/8/8 b - - 0 1";
    for fen in [mated, stalemated] {
        let position = Position::from_fen(fen).unwrap();
        for depth in 1..4 {
            assert_eq!(perft::bulk(&position, depth), 0);
            assert_eq!(perft::every_leaf(&position, depth), 0);
        }
    }
}

/// 300 positions of random games, counted with Stockfish.
#[test]
fn random_positions_have_the_counts_of_stockfish() {
    const MOST: u64 = 20_000;
    let text = include_str!("../data/perft.txt");
    let mut checked = 0;
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let fields: Vec<&str> = line.split(';').map(str::trim).collect();
        let &[_, fen, counts] = fields.as_slice() else { panic!("three fields in '{line}'") };
        let counts: Vec<u64> = counts.split(' ').map(|count| count.parse().unwrap()).collect();
        let small: Vec<u64> = counts.into_iter().take_while(|&count| count <= MOST).collect();
        check(fen, &Position::from_fen(fen).unwrap(), &small);
        checked += small.len();
    }
    assert!(checked >= 300, "only {checked} counts were checked");
}
