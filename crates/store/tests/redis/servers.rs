//! Real servers for the tests: a test whose server cannot be had, or does not answer, fails.
//!
//! **Invariant:** a server ends with the value that stands for it, whatever becomes of the test.

use std::time::Duration;

use handfoot_processes::redis as started;
use handfoot_processes::{ProcessError, Signal};
use redis::{Connection, FromRedisValue};

/// How long a server may take to do what it is waited for.
pub(crate) const WAIT_MAX: Duration = started::READY_MAX;

/// A running server.
#[derive(Debug)]
pub(crate) struct Server {
    pub(crate) port: u16,
    server: started::Server,
}

impl From<started::Server> for Server {
    fn from(server: started::Server) -> Self {
        Self { port: server.port(), server }
    }
}

impl Server {
    /// Starts a server with further settings and waits until it can be used.
    pub(crate) fn start(settings: &[&str]) -> Self {
        done(started::Server::start(settings)).into()
    }

    /// Starts a replica and waits until it has everything.
    pub(crate) fn replica(&self, settings: &[&str]) -> Self {
        done(self.server.replica(settings)).into()
    }

    /// Ends it as `kill -9` does.
    pub(crate) fn kill(&mut self) {
        self.server.kill();
    }

    /// Starts it again where it was, with what it has kept.
    pub(crate) fn start_again(&mut self) {
        done(self.server.start_again());
    }

    /// The same, and waits only until it says something.
    pub(crate) fn start_again_until(&mut self, says: &str) {
        done(self.server.start_again_until(says));
    }

    /// Has it stand still.
    pub(crate) fn stop(&self) {
        done(self.server.process().signal(Signal::Stop));
    }

    /// Has it go on.
    pub(crate) fn go_on(&self) {
        done(self.server.process().signal(Signal::Continue));
    }

    /// The address of a store in it.
    pub(crate) fn url(&self) -> String {
        self.server.url()
    }

    /// A connection of the test's own.
    pub(crate) fn connect(&self) -> Connection {
        done(self.server.connect())
    }

    /// Sends a command, written as on a command line without quotes.
    pub(crate) fn ask<T: FromRedisValue>(&self, command: &str) -> T {
        done(self.server.ask(command))
    }

    /// Waits until what it answers contains a text.
    pub(crate) fn wait_for(&self, command: &str, text: &str) {
        done(self.server.wait_for(command, text));
    }
}

/// Sends a command on a connection.
pub(crate) fn ask_on<T: FromRedisValue>(connection: &mut Connection, command: &str) -> T {
    done(started::ask_on(connection, command))
}

/// What was asked for, or the end of the test.
pub(super) fn done<T>(result: Result<T, ProcessError>) -> T {
    result.unwrap_or_else(|error| panic!("{error}"))
}
