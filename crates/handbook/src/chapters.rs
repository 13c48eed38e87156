//! The chapters of a handbook, in reading order.
//!
//! **Invariant:** each chapter says one thing once; another that needs it only refers to it.

mod cards;
mod deal;
mod discards;
mod end;
mod foot;
mod judgements;
mod melds;
mod opening;
mod out;
mod score;
mod tables;
mod threes;
mod tips;
mod turn;

use crate::book::{Block, Handbook, Section};
use crate::facts::Facts;
use crate::subject::Subject;

impl Handbook {
    /// The rules of a rule set at one table.
    #[must_use]
    pub fn of(subject: &Subject) -> Handbook {
        let facts = Facts::of(&subject.rules);
        let sections = [
            section("about", "About these rules", about(subject)),
            section("players", "Players and cards", cards::players(facts)),
            section("values", "What the cards are worth", cards::values(facts)),
            section("deal", "The deal", deal::page(facts)),
            section("turn", "A turn", turn::page(facts)),
            section("threes", &threes::title(facts), threes::page(facts)),
            section("melds", "Melds and books", melds::page(facts)),
            section("opening", "The first lay-down", opening::page(facts)),
            section("discards", "The discard pile", discards::page(facts)),
            section("foot", &foot::title(facts), foot::page(facts)),
            section("out", "Going out", out::page(facts)),
            section("stock", "When the stock runs out", end::stock(facts)),
            section("score", "The score of a round", score::page(facts)),
            section("game", "The end of the game", end::game(facts)),
            section("length", "How long it takes", end::length(facts)),
            section("tables", "Other tables", tables::page(subject)),
            section("tips", "Advice", tips::page(facts)),
            section("judgements", "Where the source leaves room", judgements::page(subject)),
        ];
        let sections = sections.into_iter().filter(|section| !section.blocks.is_empty()).collect();
        Handbook { title: subject.title.clone(), sections }
    }
}

fn section(id: &'static str, title: &str, page: Page) -> Section {
    Section { id, title: title.to_owned(), blocks: page.0 }
}

fn about(subject: &Subject) -> Page {
    let mut page = Page::default();
    page.say([subject.summary.clone()]);
    if !subject.source.is_empty() {
        page.say([format!("Source: {}.", subject.source.trim_end_matches('.'))]);
    }
    page
}

/// A chapter that is being written.
#[derive(Debug, Default)]
struct Page(Vec<Block>);

impl Page {
    /// Adds a paragraph of these sentences; empty ones are left out.
    fn say<T: Into<String>>(&mut self, sentences: impl IntoIterator<Item = T>) {
        let sentences: Vec<String> = sentences
            .into_iter()
            .map(Into::into)
            .filter(|sentence: &String| !sentence.is_empty())
            .collect();
        if !sentences.is_empty() {
            self.0.push(Block::Paragraph(sentences.join(" ")));
        }
    }

    fn list(&mut self, points: Vec<String>) {
        if !points.is_empty() {
            self.0.push(Block::List(points));
        }
    }

    fn steps(&mut self, steps: Vec<String>) {
        self.0.push(Block::Steps(steps));
    }

    fn table(&mut self, rows: Vec<Vec<String>>) {
        self.0.push(Block::Table(rows));
    }
}

/// Cells of a row.
fn row<const N: usize>(cells: [&str; N]) -> Vec<String> {
    cells.map(str::to_owned).to_vec()
}
