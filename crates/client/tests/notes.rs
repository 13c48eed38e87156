//! What the client tells of its calls, noted.
//!
//! **Invariant:** every note is kept, in the order in which they came.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use handfoot_client::{ObserveCalls, Settings};
use tonic::Code;

/// One thing that was told of a call of a method.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Note {
    Repeated(&'static str),
    Ended(&'static str, Code),
}

/// Everything that was told, in order.
#[derive(Clone, Default)]
pub(crate) struct Notes(Arc<Mutex<Vec<Note>>>);

impl Notes {
    /// What was told since this was asked before.
    pub(crate) fn taken(&self) -> Vec<Note> {
        std::mem::take(&mut *self.0.lock().unwrap())
    }

    /// Settings of a connection of which everything is told here.
    pub(crate) fn settings(&self) -> Settings {
        let observer: Arc<dyn ObserveCalls> = Arc::new(self.clone());
        Settings { jitter_seed: Some(1), observer: Some(observer), ..Settings::default() }
    }
}

impl ObserveCalls for Notes {
    fn repeated(&self, method: &'static str) {
        self.0.lock().unwrap().push(Note::Repeated(method));
    }

    fn ended(&self, method: &'static str, code: Code, _: Duration) {
        self.0.lock().unwrap().push(Note::Ended(method, code));
    }
}
