//! Every reader of text is given the texts of its corpus and thousands that are made of them:
//! whatever comes is answered, and what is accepted is written back as it was meant.
//!
//! A text that ever broke a reader goes into the reader's folder of `tests/corpus` and stays there.
//!
//! **Invariant:** seeded; the same texts are made on every run, in no order that a disk chooses.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod config;
mod texts;

use std::io::Write as _;
use std::panic::AssertUnwindSafe;
use std::path::PathBuf;

/// A small generator for repeatable tests, SplitMix64.
struct Dice(u64);

impl Dice {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut word = self.0;
        word = (word ^ (word >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        word = (word ^ (word >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        word ^ (word >> 31)
    }

    /// A number below `end`, which is at least 1.
    fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.next() % u64::try_from(end).unwrap()).unwrap()
    }

    fn of<'a, T: ?Sized>(&mut self, list: &[&'a T]) -> &'a T {
        list[self.below(list.len())]
    }
}

/// Pieces that hurt more readers than single letters do.
const PIECES: [&str; 28] = [
    "",
    " ",
    "\n",
    "\t",
    "\u{0}",
    "\u{7f}",
    "\u{feff}",
    "é",
    "\u{202e}",
    "-1",
    "0",
    "00",
    "+1",
    "255",
    "256",
    "65536",
    "4294967296",
    "18446744073709551616",
    "1e9",
    "nan",
    "[",
    "]",
    "{",
    "\"",
    "=",
    "x",
    "x250",
    "#",
];

/// The texts of a reader's folder, by file name. A folder of lines gives each line by itself.
fn corpus(folder: &str) -> Vec<(String, String)> {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("corpus").join(folder);
    let mut paths: Vec<PathBuf> =
        std::fs::read_dir(&root).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let mut texts = Vec::new();
    for path in paths {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let text = std::fs::read_to_string(&path).unwrap();
        match name.ends_with(".lines") {
            true => texts.extend(text.lines().map(|line| (name.clone(), line.to_owned()))),
            false => texts.push((name, text)),
        }
    }
    assert!(!texts.is_empty(), "{folder}");
    texts
}

/// A text made of one of the corpus, and now and then of two.
fn mutated(dice: &mut Dice, texts: &[(String, String)]) -> (String, String) {
    let (name, text) = &texts[dice.below(texts.len())];
    let mut letters: Vec<char> = text.chars().collect();
    for _ in 0..=dice.below(3) {
        let at = dice.below(letters.len() + 1);
        let end = (at + dice.below(12)).min(letters.len());
        match dice.below(6) {
            0 => drop(letters.drain(at..end)),
            1 => drop(letters.splice(at..at, dice.of(&PIECES).chars())),
            2 => drop(letters.splice(at..end, dice.of(&PIECES).chars())),
            3 => letters.truncate(at),
            4 => {
                let again: Vec<char> = letters[at..end].to_vec();
                drop(letters.splice(at..at, again));
            }
            _ => splice_words(dice, &mut letters, texts),
        }
    }
    (name.clone(), letters.into_iter().collect())
}

/// Puts a word of any text of the corpus in the place of one of this: the grammar stays, the sense
/// goes.
fn splice_words(dice: &mut Dice, letters: &mut Vec<char>, texts: &[(String, String)]) {
    let other = &texts[dice.below(texts.len())].1;
    let words: Vec<&str> = other.split_whitespace().collect();
    if words.is_empty() || letters.is_empty() {
        return;
    }
    let word = words[dice.below(words.len())];
    let start = dice.below(letters.len());
    let is_space = |letter: &char| letter.is_whitespace();
    let from = letters[..start].iter().rposition(is_space).map_or(0, |at| at + 1);
    let to = letters[start..].iter().position(is_space).map_or(letters.len(), |at| start + at);
    drop(letters.splice(from..to.max(from), word.chars()));
}

/// What came of a text.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Read {
    /// The reader took it, and what it read is sound.
    Accepted,
    /// The reader said what is wrong.
    Refused,
}

/// Replays the corpus and as many texts made of it; some must be taken and some refused.
#[track_caller]
fn fuzz(folder: &str, made: usize, read: impl Fn(&str, &str) -> Read) {
    let texts = corpus(folder);
    let (mut accepted, mut refused) = (0, 0);
    let mut answer = |name: &str, text: &str| {
        let answered = std::panic::catch_unwind(AssertUnwindSafe(|| read(name, text)));
        match answered {
            Ok(Read::Accepted) => accepted += 1,
            Ok(Read::Refused) => refused += 1,
            Err(panic) => {
                let _ = writeln!(std::io::stderr(), "keep this in corpus/{folder}:\n{text}");
                std::panic::resume_unwind(panic);
            }
        }
    };
    for (name, text) in &texts {
        answer(name, text);
    }
    let mut dice = Dice(2026);
    for _ in 0..made {
        let (name, text) = mutated(&mut dice, &texts);
        answer(&name, &text);
    }
    assert!(accepted > 0 && refused > made / 20, "{folder}: {accepted} taken, {refused} refused");
}

#[test]
fn a_reader_that_panics_is_found() {
    let outcome = std::panic::catch_unwind(|| {
        fuzz("cards", 200, |_, text| {
            assert!(!text.contains("x250"), "a planted fault");
            Read::Refused
        });
    });
    assert!(outcome.is_err());
}
