//! What a handbook is about: a rule set with its texts, at one table, and its other tables.
//!
//! **Invariant:** every table is validated before anything is said about it.

use std::collections::BTreeMap;

use handfoot_rules::{Preset, RuleFile, Rules, RulesDraft, RulesProblem, Seating};

/// A rule set at one table.
#[derive(Clone, Debug)]
pub struct Subject {
    /// Its name.
    pub title: String,
    /// Where it comes from; empty if nothing is known.
    pub source: String,
    /// A paragraph on it; empty if there is none.
    pub summary: String,
    /// Why single values are as they are, by the path of the field.
    pub notes: BTreeMap<String, String>,
    /// The rules at the table.
    pub rules: Rules,
    /// The rules at every table it can be played at, this one included; empty if there is no other.
    pub tables: Vec<Rules>,
}

impl Subject {
    /// A preset, at a table that is one of its own.
    ///
    /// # Errors
    ///
    /// What is wrong with the rules at that table.
    pub fn preset(preset: &Preset, table: RulesDraft) -> Result<Subject, Vec<RulesProblem>> {
        let at = |players, size| preset.draft(Some(players), Some(size)).ok();
        Ok(Subject {
            title: preset.title.clone(),
            source: preset.source.clone(),
            summary: preset.summary.clone(),
            notes: preset.notes.clone(),
            ..Subject::bare(table, every(&preset.seating, at))?
        })
    }

    /// A rule file, at a table that is one of its own.
    ///
    /// # Errors
    ///
    /// What is wrong with the rules at that table.
    pub fn file(file: &RuleFile, table: RulesDraft) -> Result<Subject, Vec<RulesProblem>> {
        let at = |players, size| file.draft(Some(players), Some(size)).ok();
        let bare = Subject::bare(table, every(&file.seating, at))?;
        Ok(Subject {
            title: file.title.clone().unwrap_or(bare.title),
            source: file.source.clone().unwrap_or_default(),
            summary: file.summary.clone().unwrap_or_default(),
            notes: file.notes.clone(),
            ..bare
        })
    }

    /// Parameters without any text, at the table they name.
    ///
    /// # Errors
    ///
    /// What is wrong with the rules.
    pub fn draft(table: RulesDraft) -> Result<Subject, Vec<RulesProblem>> {
        Subject::bare(table, Vec::new())
    }

    fn bare(table: RulesDraft, tables: Vec<Rules>) -> Result<Subject, Vec<RulesProblem>> {
        Ok(Subject {
            title: "Hand and Foot, rules of the house".to_owned(),
            source: String::new(),
            summary: String::new(),
            notes: BTreeMap::new(),
            rules: Rules::new(table)?.rules,
            tables: if tables.len() > 1 { tables } else { Vec::new() },
        })
    }
}

/// The rules at every table that can be played.
fn every(seating: &[Seating], at: impl Fn(u8, u8) -> Option<RulesDraft>) -> Vec<Rules> {
    let sizes = |row: &Seating| {
        let players = row.players;
        row.team_sizes.clone().into_iter().map(move |size| (players, size))
    };
    let mut tables: Vec<(u8, u8)> = seating.iter().flat_map(sizes).collect();
    tables.sort_unstable();
    let rules = |(players, size): (u8, u8)| Some(Rules::new(at(players, size)?).ok()?.rules);
    tables.into_iter().filter_map(rules).collect()
}
