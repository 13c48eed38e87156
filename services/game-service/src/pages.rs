//! How the system gives memory: a little at a time.
//!
//! **Invariant:** nothing depends on it but time, so a system that does not offer it serves as well.

/// Has this process given memory in small pages, and all that it starts from now on.
///
/// The allocator asks for pages of 2 MB, and the system clears each when it is first touched. On a
/// virtual machine whose host has yet to find that memory, one took 5 ms, and every action waited
/// for it.
pub fn keep_pages_small() {
    // Where it is refused, pages are as large as the system likes.
    #[cfg(target_os = "linux")]
    let _ = rustix::thread::disable_transparent_huge_pages(true);
}
