//! Rule files with bytes changed at random: whatever comes, it is answered.
//!
//! **Invariant:** seeded; the same files are made on every run.

use handfoot_rules::{RuleFile, Rules};

use crate::kit::Dice;

const FILES: [&str; 5] = [
    include_str!("../presets/whitnack.toml"),
    include_str!("../presets/foot-canasta.toml"),
    include_str!("../presets/simpson.toml"),
    include_str!("../presets/pennies-from-heaven.toml"),
    include_str!("../presets/hand-n-foot-262.toml"),
];

/// Pieces that are more likely to hurt than single bytes.
const PIECES: [&str; 12] =
    ["[", "]", "{", "}", "\"", "none", "-1", "99999999999", "[[rules.need]]\n", "= ", "nan", "é"];

fn mutated(dice: &mut Dice) -> String {
    let mut bytes = FILES[dice.below(FILES.len())].as_bytes().to_vec();
    for _ in 0..=dice.below(3) {
        let at = dice.below(bytes.len());
        match dice.below(5) {
            0 => bytes[at] ^= 1 << dice.below(8),
            1 => drop(bytes.remove(at)),
            2 => bytes.truncate(at.max(1)),
            3 => drop(bytes.splice(at..at, PIECES[dice.below(PIECES.len())].bytes())),
            _ => bytes[at] = b'0' + u8::try_from(dice.below(10)).unwrap(),
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[test]
fn a_damaged_file_is_answered() {
    let mut dice = Dice(2026);
    let (mut read, mut refused) = (0, 0);
    for _ in 0..6_000 {
        match RuleFile::parse(&mutated(&mut dice)) {
            Ok(file) => {
                read += 1;
                assert_eq!(RuleFile::parse(&file.rules.to_toml()).unwrap().rules, file.rules);
                let _either_is_fine = Rules::new(file.rules);
            }
            Err(problems) => {
                refused += 1;
                assert!(!problems.is_empty());
                assert!(problems.iter().all(|problem| !problem.to_string().is_empty()));
            }
        }
    }
    assert!(read > 500 && refused > 500, "{read} read, {refused} refused");
}
