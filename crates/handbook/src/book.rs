//! A handbook as sections of paragraphs, lists and tables, and its layout as text.
//!
//! **Invariant:** knows layout and no rule.

use std::fmt::Write as _;

/// The width of the text, in characters.
const WIDTH: usize = 80;

/// The rules of one rule set at one table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Handbook {
    /// The rule set's name.
    pub title: String,
    /// Its chapters, in reading order.
    pub sections: Vec<Section>,
}

/// One chapter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Section {
    /// Its name for programs, the same for every rule set: small letters and hyphens.
    pub id: &'static str,
    /// Its heading.
    pub title: String,
    /// What it says.
    pub blocks: Vec<Block>,
}

/// A piece of a chapter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Block {
    /// Some sentences.
    Paragraph(String),
    /// Points to go through, in no order.
    List(Vec<String>),
    /// Steps, in order.
    Steps(Vec<String>),
    /// Rows of cells; the first row is the head. All rows are of equal length.
    Table(Vec<Vec<String>>),
}

impl Handbook {
    /// The chapter of that name.
    #[must_use]
    pub fn section(&self, id: &str) -> Option<&Section> {
        self.sections.iter().find(|section| section.id == id)
    }

    /// All of it as text with line breaks.
    #[must_use]
    pub fn to_text(&self) -> String {
        let line = "=".repeat(self.title.chars().count());
        let mut text = format!("{}\n{line}\n", self.title);
        for section in &self.sections {
            let line = "-".repeat(section.title.chars().count());
            let _ = write!(text, "\n{}\n{line}\n\n{}", section.title, section.to_text());
        }
        text
    }
}

impl Section {
    /// What it says, without its heading, as text with line breaks.
    #[must_use]
    pub fn to_text(&self) -> String {
        self.blocks.iter().map(Block::to_text).collect::<Vec<_>>().join("\n")
    }
}

impl Block {
    fn to_text(&self) -> String {
        match self {
            Block::Paragraph(text) => wrapped("", text),
            Block::List(points) => points.iter().map(|point| wrapped("- ", point)).collect(),
            Block::Steps(steps) => (1..)
                .zip(steps)
                .map(|(number, step)| wrapped(&format!("{number}. "), step))
                .collect(),
            Block::Table(rows) => table(rows),
        }
    }
}

/// Breaks text into lines; the first begins with a mark, the others are set in as far.
fn wrapped(mark: &str, text: &str) -> String {
    let indent = " ".repeat(mark.chars().count());
    let mut lines = String::from(mark);
    let mut used = indent.len();
    let mut is_first = true;
    for word in text.split_whitespace() {
        let letters = word.chars().count();
        if is_first {
            used += letters;
        } else if used + 1 + letters <= WIDTH {
            lines.push(' ');
            used += 1 + letters;
        } else {
            lines.push('\n');
            lines.push_str(&indent);
            used = indent.len() + letters;
        }
        is_first = false;
        lines.push_str(word);
    }
    lines.push('\n');
    lines
}

/// Sets cells below each other: the first column to the left, the others to the right.
fn table(rows: &[Vec<String>]) -> String {
    let columns = rows.first().map_or(0, Vec::len);
    let width = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column));
        cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let mut text = String::new();
    for row in rows {
        let mut line = String::from(" ");
        for (index, (cell, width)) in row.iter().zip(&widths).enumerate() {
            let _ = match index {
                0 => write!(line, " {cell:<width$}"),
                _ => write!(line, "   {cell:>width$}"),
            };
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}
