//! The loss through a training as a picture.

use super::LogLine;

/// As many points as there is room for.
const POINTS: usize = 400;

/// Draws training loss and validation loss over the positions seen.
///
/// ```
/// let svg = pra::train::loss_svg("a model", &[]);
/// assert!(svg.starts_with("<svg ") && svg.ends_with("</svg>\n"));
/// ```
pub fn loss_svg(title: &str, lines: &[LogLine]) -> String {
    let (mut training, mut validation) = (Vec::new(), Vec::new());
    for line in lines {
        match line {
            LogLine::Step(line) => training.push((line.positions as f64, line.loss)),
            LogLine::Validation(line) => {
                validation.push((line.positions as f64, line.validation_loss));
            }
        }
    }
    let training = thinned(&training);
    data::curves_svg(title, &[("training", training), ("validation", validation)])
}

/// Means of neighbors, where there are more than can be seen.
fn thinned(points: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let together = points.len().div_ceil(POINTS).max(1);
    let mean = |part: &[(f64, f64)]| {
        let sum = part.iter().fold((0.0, 0.0), |sum, point| (sum.0 + point.0, sum.1 + point.1));
        (sum.0 / part.len() as f64, sum.1 / part.len() as f64)
    };
    points.chunks(together).map(mean).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_training_is_drawn_by_the_means_of_neighbors() {
        let few: Vec<(f64, f64)> = (0..400).map(|n| (f64::from(n), 1.0)).collect();
        assert_eq!(thinned(&few), few);
        let many: Vec<(f64, f64)> = (0..900).map(|n| (f64::from(n), f64::from(n % 3))).collect();
        let thin = thinned(&many);
        assert_eq!((thin.len(), thin[0], thin[299]), (300, (1.0, 1.0), (898.0, 1.0)));
        assert_eq!(thinned(&[]), []);
    }
}
