//! FENs that are wrong by construction: positions of random games, each spoilt in one place.

use std::collections::BTreeSet;

use chess::rng::Rng;
use chess::{Position, random};

/// A position of a random game from the start.
pub fn position(rng: &mut Rng) -> Position {
    let plies = 4 + rng.below(80);
    let last = random::game(Position::INITIAL, rng).take(plies).last();
    last.map_or(Position::INITIAL, |(before, m)| before.after(m))
}

/// So many, all different.
pub fn malformed(count: usize) -> BTreeSet<String> {
    let mut random = Rng::new(10, 0);
    let mut all = BTreeSet::new();
    while all.len() < count {
        let fen = position(&mut random).fen();
        for _ in 0..20 {
            all.insert(spoilt(&fen, &mut random));
        }
    }
    while all.len() > count {
        all.pop_last();
    }
    all
}

/// What means nothing in any field.
const JUNK: [&str; 16] = [
    "x", "?", ".", "_", "é", "♔", "９", "a\0b", "\u{7f}x", "\u{200b}", "🏁", "%s", "*", "z", "(",
    "\\",
];

fn spoilt(fen: &str, random: &mut Rng) -> String {
    let mut fields: Vec<String> = fen.split(' ').map(str::to_owned).collect();
    let field = random.below(9);
    match field {
        0 => fields[0] = spoilt_board(&fields[0], random),
        1 => {
            fields[1] = (*random.choose(&["W", "B", "-", "ww", "white", "0", "wb", "♔"])).to_owned()
        }
        2 => {
            fields[2] =
                (*random.choose(&["--", "KK", "I", "kqK-", "1", "KQkqKQkq", "Xx"])).to_owned()
        }
        3 => {
            let wrong = ["e9", "i3", "33", "ee", "e", "e4", "d5", "a1", "h8", "--", "e33", "-e3"];
            fields[3] = (*random.choose(&wrong)).to_owned();
        }
        4 | 5 => {
            let wrong = ["-1", "x", "1.5", "65536", "+1", "0x10", "1e3", "18446744073709551616"];
            fields[field] = (*random.choose(&wrong)).to_owned();
        }
        6 => {
            let at = random.below(6);
            let junk = random.choose(&JUNK);
            fields[at] = if random.below(2) == 0 {
                format!("{}{junk}", fields[at])
            } else {
                format!("{junk}{}", fields[at])
            };
        }
        7 => fields.push(format!("{}{}", random.choose(&JUNK), random.below(1000))),
        _ => fields.truncate(1 + random.below(3)),
    }
    fields.join(" ")
}

fn spoilt_board(board: &str, random: &mut Rng) -> String {
    let mut ranks: Vec<String> = board.split('/').map(str::to_owned).collect();
    let at = random.below(8);
    match random.below(9) {
        0 => ranks[at].push(*random.choose(&['p', 'Q', '1', '8'])),
        1 => ranks[at].insert(0, *random.choose(&['n', 'R', '2'])),
        2 => drop(ranks.remove(at)),
        3 => ranks.insert(at, "8".to_owned()),
        4 => drop(ranks[at].pop()),
        5 => return board.replace('K', "Q"),
        6 => return board.replace('k', "q"),
        7 => ranks[at] = "KkKkKkKk".to_owned(),
        _ => {
            ranks[*random.choose(&[0, 7])] =
                (*random.choose(&["pPpPpPpP", "8/", "", "44"])).to_owned()
        }
    }
    ranks.join("/")
}
