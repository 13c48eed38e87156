//! Ports on which nobody listens.
//!
//! **Invariant:** below those that the system gives to connections, so that a server that is
//! started again finds its port free.

use std::net::TcpListener;
use std::sync::atomic::{AtomicU16, Ordering};

/// The first that is looked at.
const FROM: u16 = 10_000;

/// How many there are to choose from.
const PORTS: u16 = 10_000;

/// By how much the second port of a server is higher: a Redis server of a cluster has one.
const BUS: u16 = 10_000;

/// Gives a port that is free, and so is the one 10,000 higher. Programs begin at different ones.
#[must_use]
pub fn free_port() -> u16 {
    static NEXT: AtomicU16 = AtomicU16::new(0);
    let own = u16::try_from(std::process::id() % u32::from(PORTS)).unwrap_or(0);
    loop {
        let step = NEXT.fetch_add(1, Ordering::Relaxed);
        let port = FROM + own.wrapping_mul(37).wrapping_add(step) % PORTS;
        let is_free = |port: u16| TcpListener::bind(("127.0.0.1", port)).is_ok();
        if is_free(port) && is_free(port + BUS) {
            return port;
        }
    }
}
