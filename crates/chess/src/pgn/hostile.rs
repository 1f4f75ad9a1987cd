//! Adversarial texts that make a careless parser quadratic: for the test of linear time, and for
//! `peers hostile`.

/// The name of a text, and its generator by number of repetitions.
pub type Shape = (&'static str, fn(usize) -> String);

/// All known adversarial patterns.
pub const SHAPES: [Shape; 55] = [
    ("games with a comment that does not balance", |n| {
        "[Event \"x\"]\n\n".to_owned() + &"1. e4 {{} e5 *\n".repeat(n)
    }),
    ("the same with tags, without blank lines", |n| "[A \"b\"]\ne4 {{} *\n".repeat(n)),
    ("the same with tags and blank lines", |n| "[A \"b\"]\n\ne4 {{} *\n\n".repeat(n)),
    ("comments that do not balance, in one game", |n| "1. e4 ".to_owned() + &"{{} ".repeat(n)),
    ("comments that balance and one that does not", |n| "{{}} ".repeat(n) + "{{}"),
    ("opening braces", |n| "{".repeat(n)),
    ("opening braces, one closing", |n| "{".repeat(n) + "}"),
    ("closing braces", |n| "e4 ".to_owned() + &"}".repeat(n)),
    ("empty comments", |n| "{}".repeat(n)),
    ("nested comments", |n| "{".repeat(n) + &"}".repeat(n)),
    ("open comments in games", |n| "[Event \"x\"]\n\n{\n\n".repeat(n)),
    ("open comments in games without Event", |n| "[White \"x\"]\n\ne4 {\n\n".repeat(n)),
    ("tags in a comment", |n| "1. e4 {".to_owned() + &"\n[A \"b\"]".repeat(n)),
    ("tags and blank lines in a comment", |n| {
        "e4 {\n[A \"\n".to_owned() + &"\n\n[A \"b\"]".repeat(n)
    }),
    ("commands in a comment", |n| "1. e4 {".to_owned() + &"[%eval 1]".repeat(n) + "}"),
    ("open commands in a comment", |n| "1. e4 {".to_owned() + &"[%".repeat(n) + "}"),
    ("comments among tags", |n| "[A \"b\"]\n".to_owned() + &"{c}\n[A \"b\"]\n".repeat(n)),
    ("comments after a tag", |n| "[A \"b\"]\n".to_owned() + &"{c}\n".repeat(n)),
    ("line comments among tags", |n| "[A \"b\"]\n;c\n".repeat(n)),
    ("line comments", |n| ";\n".repeat(n)),
    ("one line comment", |n| ";".repeat(n)),
    ("escaped lines", |n| "%\n".repeat(n)),
    ("blanks", |n| "e4".to_owned() + &" ".repeat(n) + "*"),
    ("blank lines", |n| "e4".to_owned() + &"\n".repeat(n) + "[A \"b\"]"),
    ("carriage returns", |n| "e4".to_owned() + &"\r".repeat(n) + "[A \"b\"]"),
    ("indented lines", |n| "e4".to_owned() + &"\n   ".repeat(n) + "[A \"b\"]"),
    ("byte order marks", |n| "\u{feff}".repeat(n)),
    ("byte order marks among the moves", |n| "e4 ".to_owned() + &"\u{feff}".repeat(n)),
    ("marks after a result", |n| "e4 *".to_owned() + &"\u{25b3}".repeat(n)),
    ("non-breaking blanks", |n| "e4".to_owned() + &"\u{a0}".repeat(n)),
    ("tags", |n| "[A \"b\"]\n".repeat(n)),
    ("tags with names that go down", |n| {
        (0..n).rev().map(|n| format!("[T{n:08} \"b\"]\n")).collect()
    }),
    ("tags and blank lines", |n| "[A \"b\"]\n\n".repeat(n)),
    ("tags that begin games", |n| "[Event \"b\"]\n\n".repeat(n)),
    ("tags with escapes on one line", |n| r#"[A "\\"] "#.repeat(n)),
    ("tags without an end on one line", |n| "[A \"b ".repeat(n)),
    ("quotes in a tag", |n| "[A \"".to_owned() + &"\" ".repeat(n)),
    ("brackets", |n| "[".repeat(n)),
    ("brackets on lines of their own", |n| "e4".to_owned() + &"\n\n[".repeat(n)),
    ("a long name of a tag", |n| "[".to_owned() + &"A".repeat(n)),
    ("opening parentheses", |n| "e4 ".to_owned() + &"(".repeat(n)),
    ("nested variations", |n| "e4 ".to_owned() + &"(e4 ".repeat(n) + &")".repeat(n)),
    ("variations of one move", |n| "e4 ".to_owned() + &"(d4) ".repeat(n)),
    ("closing parentheses", |n| ")".repeat(n)),
    ("digits", |n| "1".repeat(n)),
    ("digits and hyphens", |n| "1-".repeat(n)),
    ("NAGs", |n| "e4 ".to_owned() + &"$1".repeat(n)),
    ("results", |n| "*".repeat(n)),
    ("a long word", |n| "x".repeat(n)),
    ("words that mean nothing", |n| "x ".repeat(n)),
    ("games with an error", |n| "x *\n".repeat(n)),
    ("promotions in parentheses", |n| "e8".to_owned() + &"(Q)".repeat(n)),
    ("figurines", |n| "\u{2658}f3".repeat(n)),
    ("glyphs behind a move", |n| "Nf3".to_owned() + &"+-".repeat(n)),
    ("a long game", |n| "Nf3 Nf6 Ng1 Ng8 ".repeat(n)),
];
