//! Help texts: paragraphs of prose, and example commands.

/// Joins the lines of each paragraph, for another to wrap; indented lines are example commands, broken to
/// the width.
pub fn paragraphs(text: &str, width: usize) -> String {
    let mut joined = String::new();
    let mut is_open = false;
    for line in text.lines() {
        let is_text = !line.is_empty() && !line.starts_with(' ');
        if !joined.is_empty() {
            joined.push(if is_open && is_text { ' ' } else { '\n' });
        }
        joined.push_str(&if is_text { line.to_owned() } else { example(line, width) });
        // Examples follow a colon.
        is_open = is_text && !line.ends_with(':');
    }
    joined
}

/// Breaks a long command between arguments, with a backslash.
fn example(line: &str, width: usize) -> String {
    if line.is_empty() {
        return String::new();
    }
    let mut is_quoted = false;
    let arguments = line.trim_start().split(|letter| {
        is_quoted ^= letter == '\'';
        letter == ' ' && !is_quoted
    });
    let (mut broken, mut column) = (String::new(), 0);
    for argument in arguments {
        let length = argument.chars().count();
        // Room for a space before it and " \\" after it.
        if column > 0 && column + 1 + length + 2 > width {
            broken.push_str(" \\\n      ");
            column = 6;
        } else {
            broken.push_str(if column > 0 { " " } else { "  " });
            column += if column > 0 { 1 } else { 2 };
        }
        broken.push_str(argument);
        column += length;
    }
    broken
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paragraphs_are_joined_and_examples_stay_lines() {
        let text = "One\ntwo.\n\nExamples:\n  tabiya a\n  tabiya b\n\nThree\nfour";
        let joined = "One two.\n\nExamples:\n  tabiya a\n  tabiya b\n\nThree four";
        assert_eq!(paragraphs(text, 80), joined);
    }

    #[test]
    fn long_examples_are_broken_between_arguments() {
        let line = "  tabiya perft 5 --fen '8/8/8/8/8/8/8/8 w - - 0 1' --threads 4 | tail -1";
        assert_eq!(example(line, 80), line);
        let broken = example(line, 50);
        assert_eq!(
            broken,
            "  tabiya perft 5 --fen \\\n      '8/8/8/8/8/8/8/8 w - - 0 1' --threads 4 | \\\n      tail -1"
        );
        assert_eq!(broken.replace(" \\\n     ", ""), line);
    }
}
