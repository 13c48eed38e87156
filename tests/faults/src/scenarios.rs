//! Every scenario, each in a file of its own.
//!
//! **Invariant:** the list is the only one: `run`, `check` and `list` are made from it, and
//! `tests/FAULTS.md` names what stands in it.

mod killed_replica;

use std::pin::Pin;

use crate::scenario::Tried;
use crate::setting::Setting;
use crate::trouble::Trouble;

/// What a scenario is, and when it is tried.
#[derive(Debug)]
pub(crate) struct Scenario {
    pub(crate) name: &'static str,
    pub(crate) about: &'static str,
    form: Form,
    pub(crate) run: Run,
}

/// Tries a scenario.
pub(crate) type Run = for<'a> fn(&'a Setting) -> Trying<'a>;

/// A scenario under way.
pub(crate) type Trying<'a> = Pin<Box<dyn Future<Output = Result<Tried, Trouble>> + 'a>>;

/// When a scenario is tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    /// Always.
    Core,
    /// In the short form if the seed chooses it.
    Short,
    /// In the long form only.
    Long,
}

impl Scenario {
    /// Whether every short form has it.
    pub(crate) fn is_core(&self) -> bool {
        self.form == Form::Core
    }

    /// Whether a short form may have it.
    pub(crate) fn is_short(&self) -> bool {
        self.form == Form::Short
    }
}

macro_rules! scenarios {
    ($($file:ident::$name:ident $form:ident $about:literal;)+) => {
        /// Every scenario.
        pub(crate) const ALL: &[Scenario] = &[$(Scenario {
            name: stringify!($name),
            about: $about,
            form: Form::$form,
            run: |setting| Box::pin($file::$name(setting)),
        }),+];
    };
}

scenarios! {
    killed_replica::a_killed_replica_loses_nothing Core
        "kill -9 of a game-service under load; then of another";
}
