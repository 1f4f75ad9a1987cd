//! The drawings are looked at by people; these tests hold what a machine can see.

use super::*;
use pieces::shape;

/// Panics unless the text is one well-formed XML element: tags balance, every attribute is named
/// once and quoted, text holds no bare `<` or `&`. Returns the names of the elements in order.
fn check_xml(xml: &str) -> Vec<String> {
    let mut open: Vec<String> = Vec::new();
    let mut names = Vec::new();
    let mut rest = xml.trim_end();
    while !rest.is_empty() {
        let Some(tag) = rest.strip_prefix('<') else {
            let end = rest.find('<').expect("text after the last tag");
            assert!(!open.is_empty(), "text outside of the root");
            check_text(&rest[..end]);
            rest = &rest[end..];
            continue;
        };
        assert!(names.is_empty() || !open.is_empty(), "a second root");
        let (tag, after) = tag.split_once('>').expect("an unclosed tag");
        rest = after;
        if let Some(name) = tag.strip_prefix('/') {
            assert_eq!(open.pop().as_deref(), Some(name));
            continue;
        }
        let (tag, empty) = tag.strip_suffix('/').map_or((tag, false), |tag| (tag, true));
        let (name, mut attributes) = tag.split_once(' ').unwrap_or((tag, ""));
        assert!(!name.is_empty() && name.chars().all(|c| c.is_ascii_alphabetic()), "{name}");
        let mut seen = Vec::new();
        while !attributes.is_empty() {
            let (key, value) = attributes.split_once("=\"").expect("an unquoted attribute");
            let (value, after) = value.split_once('"').expect("an unclosed quote");
            assert!(key.chars().all(|c| c.is_ascii_alphabetic() || c == '-'), "{key}");
            assert!(!seen.contains(&key), "{key} twice in {tag}");
            seen.push(key);
            check_text(value);
            attributes = after.strip_prefix(' ').unwrap_or(after);
            assert!(after.is_empty() || after.starts_with(' '), "no blank after {key}");
        }
        names.push(name.to_owned());
        if !empty {
            open.push(name.to_owned());
        }
    }
    assert!(open.is_empty(), "still open: {open:?}");
    names
}

fn check_text(text: &str) {
    assert!(!text.contains('<'));
    for part in text.split('&').skip(1) {
        assert!(["amp;", "lt;", "gt;", "quot;"].iter().any(|entity| part.starts_with(entity)));
    }
}

/// The values of an attribute, wherever it occurs.
fn values<'a>(svg: &'a str, attribute: &str) -> Vec<&'a str> {
    let key = format!(" {attribute}=\"");
    svg.split(&key).skip(1).map(|part| part.split('"').next().unwrap()).collect()
}

/// The numbers in path data that uses nothing but absolute coordinates.
fn numbers(path: &str) -> Vec<f32> {
    let words = path.split(|c: char| c.is_ascii_alphabetic() || c == ' ');
    words.filter(|word| !word.is_empty()).map(|word| word.parse().unwrap()).collect()
}

fn piece(letter: char) -> Piece {
    Piece::from_letter(letter).unwrap()
}

fn start() -> BoardPicture {
    let home = "RNBQKBNR";
    BoardPicture::of(|square| {
        let officer = home.chars().nth(square.file().index())?;
        match square.rank() {
            Rank::First => Piece::from_letter(officer),
            Rank::Second => Piece::from_letter('P'),
            Rank::Seventh => Piece::from_letter('p'),
            Rank::Eighth => Piece::from_letter(officer.to_ascii_lowercase()),
            _ => None,
        }
    })
}

/// A picture with something in every field.
fn everything() -> BoardPicture {
    BoardPicture {
        offset_pieces: vec![OffsetPiece {
            dx: 0.25,
            dy: -0.1,
            scale: 0.7,
            mirrored: true,
            halo: true,
            ..OffsetPiece::new(piece('n'), Square::D5)
        }],
        last_move: Some((Square::E2, Square::E4)),
        check: Some(Square::E8),
        highlights: Rank::Third.bitboard(),
        marks: ShapeColor::ALL.map(|color| (Square::C6, color)).to_vec(),
        arrows: vec![Arrow::new(Square::G1, Square::F3, ShapeColor::Blue)],
        ..start()
    }
}

#[test]
fn pictures_are_well_formed_xml() {
    for orientation in Color::ALL {
        for coordinates in [false, true] {
            for picture in [BoardPicture::default(), start(), everything()] {
                let names =
                    check_xml(&BoardPicture { orientation, coordinates, ..picture }.to_svg());
                assert_eq!(names[..2], ["svg", "title"]);
            }
        }
    }
}

#[test]
fn every_kind_of_piece_in_use_is_defined_once_and_no_other() {
    let some = BoardPicture {
        pieces: vec![(Square::A1, piece('K')), (Square::A2, piece('k')), (Square::A3, piece('p'))],
        offset_pieces: vec![OffsetPiece::new(piece('R'), Square::H8)],
        ..BoardPicture::default()
    };
    for (picture, expected) in [(some, "prk"), (start(), "pnbrqk"), (BoardPicture::default(), "")] {
        let svg = picture.to_svg();
        let defined: String = values(&svg, "id")
            .iter()
            .filter(|id| !id.ends_with("-body"))
            .map(|id| id.strip_prefix(ID).unwrap())
            .collect();
        assert_eq!(defined, expected);
        let mut used: Vec<&str> = values(&svg, "href");
        assert_eq!(used.len(), picture.pieces.len() + picture.offset_pieces.len());
        used.sort_unstable();
        used.dedup();
        assert_eq!(used.len(), expected.len());
        for href in used {
            assert!(svg.contains(&format!(r#"id="{}""#, href.strip_prefix('#').unwrap())));
        }
    }
}

#[test]
fn shapes_stay_inside_their_box_with_room_for_the_outline() {
    for piece_type in PieceType::ALL {
        let shape = shape(piece_type);
        for path in [shape.body, shape.shade, shape.lines] {
            assert!(path.starts_with('M') && !path.contains("  "));
            // Radii and flags of arcs are small numbers too; 0 and 1 are never coordinates here.
            for number in numbers(path) {
                assert!(number <= 1.0 || (3.0..=93.0).contains(&number), "{piece_type} {number}");
            }
        }
        assert!(shape.body.ends_with('z') && shape.shade.ends_with('z'));
    }
}

/// Where the body of an offset piece begins and ends, from left to right, in the units of its square.
fn extent(offset: &OffsetPiece) -> (f32, f32) {
    // The feet are the widest part of all pieces but the knight, and the queen's crown.
    let (left, right) = match offset.piece.piece_type() {
        PieceType::Pawn => (26.0, 74.0),
        PieceType::Knight => (15.5, 78.0),
        PieceType::Bishop | PieceType::Rook => (22.0, 78.0),
        PieceType::Queen => (20.5, 79.5),
        PieceType::King => (21.0, 79.0),
    };
    let (left, right) = if offset.mirrored { (100.0 - right, 100.0 - left) } else { (left, right) };
    (100.0 * offset.dx + offset.scale * left, 100.0 * offset.dx + offset.scale * right)
}

#[test]
fn both_pieces_of_a_union_are_nearly_full_size_inside_their_square_and_face_each_other() {
    for white in PieceType::ALL {
        for black in PieceType::ALL {
            let mut pair = OffsetPiece::union(white, black, Square::D5);
            pair.sort_by_key(|offset| offset.piece.color());
            let [left, right] = pair;
            assert_eq!(
                (left.piece, right.piece),
                (Piece::new(Color::White, white), Piece::new(Color::Black, black))
            );
            assert_eq!(left.mirrored, white == PieceType::Knight);
            assert_eq!(right.mirrored, black == PieceType::Bishop);
            for offset in [left, right] {
                assert!(offset.scale >= 0.9 && offset.halo);
                let (start, end) = extent(&offset);
                assert!(start >= 1.0 && end <= 99.0, "{offset:?} from {start} to {end}");
            }
            // Half of each stays clear of the other.
            let ((_, left_end), (right_start, _)) = (extent(&left), extent(&right));
            assert!(left_end - right_start <= 28.0, "{white} {black}");
        }
    }
}

#[test]
fn the_lower_piece_of_a_union_is_in_front_and_a_knight_before_all() {
    let front = |white, black| OffsetPiece::union(white, black, Square::A1)[1].piece;
    let (pawn, knight, king) = (PieceType::Pawn, PieceType::Knight, PieceType::King);
    assert_eq!(front(pawn, king), Piece::new(Color::White, pawn));
    assert_eq!(front(king, pawn), Piece::new(Color::Black, pawn));
    assert_eq!(front(pawn, knight), Piece::new(Color::Black, knight));
    assert_eq!(front(king, king), Piece::new(Color::White, king));
}

#[test]
fn the_piece_sheet_is_well_formed_and_refers_only_to_its_own_definitions() {
    let sheet = piece_sheet();
    assert_eq!(check_xml(&sheet)[..2], ["svg", "defs"]);
    let ids = values(&sheet, "id");
    let mut distinct = ids.clone();
    distinct.sort_unstable();
    distinct.dedup();
    assert_eq!((ids.len(), distinct.len()), (24, 24));
    for href in values(&sheet, "href") {
        assert!(ids.contains(&href.strip_prefix('#').unwrap()), "{href}");
    }
}

#[test]
fn the_same_description_gives_the_same_bytes_and_few_of_them() {
    assert_eq!(everything().to_svg(), everything().to_svg());
    let bytes = start().to_svg().len();
    assert!(bytes < 10_000, "the starting position takes {bytes} bytes");
}

#[test]
fn turning_the_board_moves_pieces_and_coordinates_to_the_opposite_corner() {
    let pieces = vec![(Square::A1, piece('R'))];
    let white = BoardPicture { pieces, ..BoardPicture::default() };
    let black = BoardPicture { orientation: Color::Black, ..white.clone() };
    let (white, black) = (white.to_svg(), black.to_svg());
    assert!(white.contains(r##"<use href="#tabiya-r" x="0" y="700"/>"##));
    assert!(black.contains(r##"<use href="#tabiya-r" x="700" y="0"/>"##));
    assert!(white.contains(r#"<text x="50" y="826">a</text>"#));
    assert!(black.contains(r#"<text x="750" y="826">a</text>"#));
    assert!(white.contains(r#"<text x="-20" y="759">1</text>"#));
    assert!(black.contains(r#"<text x="-20" y="59">1</text>"#));
}

#[test]
fn without_coordinates_the_board_fills_the_picture() {
    let svg = BoardPicture { coordinates: false, size: 320, ..start() }.to_svg();
    assert!(!svg.contains("<text"));
    assert!(svg.contains(r#"viewBox="0 0 800 800" width="320" height="320""#));
}

#[test]
fn arrows_between_any_two_squares_stay_on_the_board_and_end_on_their_target() {
    for orientation in Color::ALL {
        for width in [0.02, Arrow::WIDTH, 99.0] {
            for from in Square::all() {
                for to in Square::all().filter(|&to| to != from) {
                    let mut picture = BoardPicture { orientation, ..BoardPicture::default() };
                    let mut arrow = Arrow::new(from, to, ShapeColor::Red);
                    arrow.width = width;
                    let mut svg = String::new();
                    picture.write_arrow(&mut svg, &arrow);
                    let points = numbers(values(&svg, "d")[0].trim_end_matches('z'));
                    assert_eq!(points.len(), 14);
                    assert!(points.iter().all(|x| (2.0..=798.0).contains(x)), "{svg}");
                    let (x, y) = picture.corner(to);
                    assert_eq!(points[6..8], [x as f32 + 50.0, y as f32 + 50.0]);
                    picture.arrows.push(arrow);
                    assert!(picture.to_svg().contains(&svg));
                }
            }
        }
    }
}

#[test]
fn an_arrow_from_a_square_to_itself_is_a_mark() {
    let arrows = vec![Arrow::new(Square::E4, Square::E4, ShapeColor::Green)];
    let marks = vec![(Square::E4, ShapeColor::Green)];
    let arrow = BoardPicture { arrows, ..BoardPicture::default() }.to_svg();
    assert_eq!(arrow, BoardPicture { marks, ..BoardPicture::default() }.to_svg());
    assert_eq!(arrow.matches("<circle").count(), 1);
}

#[test]
fn numbers_that_make_no_sense_are_brought_into_range() {
    for nonsense in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, -1.0, f32::MAX] {
        let mut arrow = Arrow::new(Square::A1, Square::B3, ShapeColor::Blue);
        (arrow.width, arrow.opacity) = (nonsense, nonsense);
        let mut loop_arrow = arrow;
        loop_arrow.to = arrow.from;
        let mut picture = everything();
        picture.arrows = vec![arrow, loop_arrow];
        picture.offset_pieces[0].dx = nonsense;
        picture.offset_pieces[0].scale = nonsense;
        let svg = picture.to_svg();
        check_xml(&svg);
        assert!(!svg.contains("NaN") && !svg.contains("inf"));
        for opacity in values(&svg, "opacity") {
            assert!((0.0..=1.0).contains(&opacity.parse::<f32>().unwrap()), "{opacity}");
        }
    }
}

#[test]
fn numbers_are_written_as_short_as_svg_allows() {
    for (value, text) in
        [(0.0, "0"), (-0.0001, "0"), (100.0, "100"), (0.5, ".5"), (-0.25, "-.25"), (-20.0, "-20")]
    {
        assert_eq!(number(value), text);
    }
}

#[test]
fn a_title_cannot_break_out_of_its_element() {
    let title = "\"><script>&amp;\0\u{ffff}\n".to_owned();
    let svg = BoardPicture { title, ..BoardPicture::default() }.to_svg();
    assert!(!check_xml(&svg).contains(&"script".to_owned()));
    assert!(svg.contains("<title>&quot;&gt;&lt;script&gt;&amp;amp;\u{fffd}\u{fffd} </title>"));
}

#[test]
fn the_description_names_the_pieces_player_by_player_from_the_king_down() {
    let picture = BoardPicture {
        pieces: vec![
            (Square::A2, piece('P')),
            (Square::E8, piece('k')),
            (Square::B2, piece('P')),
            (Square::E1, piece('K')),
        ],
        ..BoardPicture::default()
    };
    let expected = "<desc>White king e1, White pawn a2 b2, Black king e8</desc>";
    assert!(picture.to_svg().contains(expected));
}

#[test]
fn mark_colors_survive_their_letters() {
    for color in ShapeColor::ALL {
        assert_eq!(ShapeColor::from_letter(color.letter()), Some(color));
    }
    assert_eq!(ShapeColor::from_letter('x'), None);
}

#[test]
fn lengths_are_those_of_the_standard_library() {
    for (x, y) in [(0.0, 0.0), (3.0, 4.0), (-700.0, 100.0), (1e-20, 0.0), (0.3, 0.4), (1e30, 1.0)] {
        let (found, expected) = (hypot(x, y), f32::hypot(x, y));
        assert!((found - expected).abs() <= expected * f32::EPSILON, "{x} {y}: {found} {expected}");
    }
    assert_eq!(hypot(f32::INFINITY, 1.0), f32::INFINITY);
}
