//! Test of linear time, by the number of bytes scanned.

use super::hostile::SHAPES;
use super::scan::WORK;
use super::visitor::Nobody;
use super::{Next, PgnError, Replay, Trees, Visitor, Watcher, border, read};

/// Visits everything but variations.
struct Skipper;

impl Visitor for Skipper {}

struct Player;

impl Watcher for Player {
    fn begin_variation(&mut self, _: &crate::Position) -> Next {
        Next::Go
    }
    fn error(&mut self, _: PgnError) {}
}

/// An operation on a text, with its name.
type NamedReader = (&'static str, fn(&[u8]));

const READERS: [NamedReader; 6] = [
    ("tokens", |text| read(text, &mut Nobody)),
    ("tokens without variations", |text| read(text, &mut Skipper)),
    ("moves", |text| read(text, &mut Replay::new(Player))),
    ("trees", |text| Trees::new(text).for_each(drop)),
    ("borders", |text| {
        let mut from = 0;
        while let Some(at) = border::first(text, from) {
            from = at + 1;
        }
        let _ = border::first_in_fragment(text, 0);
    }),
    ("borders backwards", |text| {
        let mut end = text.len();
        while let Some(at) = border::last(&text[..end]) {
            end = at;
        }
    }),
];

fn work(reader: fn(&[u8]), text: &[u8]) -> u64 {
    WORK.set(0);
    reader(text);
    WORK.get()
}

#[test]
fn twice_the_text_takes_twice_the_work() {
    for (shape, make) in SHAPES {
        let [small, large] = [1_000, 2_000].map(make);
        for (name, reader) in READERS {
            let [less, more] = [&small, &large].map(|text| work(reader, text.as_bytes()));
            assert!(more <= 2 * less + 2_000, "{name} of {shape}: {less} bytes, then {more}");
            // Nothing is looked at more often than this.
            let most = 12 * large.len() as u64 + 2_000;
            assert!(more <= most, "{name} of {shape}: {more} bytes of {}", large.len());
        }
    }
}
