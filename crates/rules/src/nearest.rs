//! The known name that a mistyped one probably meant.
//!
//! **Invariant:** knows letters, not rules.

/// Letters of a name that are looked at; no known name is longer.
const LETTERS_MAX: usize = 32;

/// The known name nearest to `name`, if one is near enough: up to a third of its letters, and at
/// least one, may differ.
pub(crate) fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let letters = name.chars().count();
    if letters > LETTERS_MAX {
        return None;
    }
    known
        .into_iter()
        .map(|candidate| (distance(name, candidate), candidate))
        .filter(|(distance, _)| *distance <= (letters / 3).max(1))
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// Letters to insert, delete or replace to make one name of the other, case apart.
fn distance(left: &str, right: &str) -> usize {
    let letters = |name: &str| name.chars().map(|c| c.to_ascii_lowercase()).collect::<Vec<_>>();
    let (left, right) = (letters(left), letters(right));
    let mut row: Vec<usize> = (0..=right.len()).collect();
    for (index, letter) in left.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = index + 1;
        for (at, other) in right.iter().enumerate() {
            let replaced = diagonal + usize::from(letter != other);
            diagonal = row[at + 1];
            row[at + 1] = replaced.min(row[at] + 1).min(diagonal + 1);
        }
    }
    row[right.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_name_is_near() {
        let known = ["wild_top", "wild_meld", "need", "draw"];
        assert_eq!(nearest("wildtop", known), Some("wild_top"));
        assert_eq!(nearest("Wild_Melds", known), Some("wild_meld"));
        assert_eq!(nearest("drwa", known), None);
        assert_eq!(nearest("dram", known), Some("draw"));
        assert_eq!(nearest("bonus", known), None);
        assert_eq!(nearest("", known), None);
        assert_eq!(nearest(&"x".repeat(10_000), known), None);
    }
}
