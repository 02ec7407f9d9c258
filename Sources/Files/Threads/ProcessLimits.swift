import CFiles

/// The system's limits on this process: descriptors, threads and address space.
public enum ProcessLimits {
    /// The least descriptors that work, with all that is open at the same time besides transfers and writes.
    private static let (leastDescriptors, reservedDescriptors) = (64, 48)

    /// Raises the limit of open descriptors as far as the system allows.
    public static func raise() {
        nb_raise_descriptor_limit()
    }

    /// Returns freed blocks of 2 MiB and more, such as planes of large images, to the system at once.
    ///
    /// A bound on the memory in use is a bound on the memory of the process only then.
    public static func returnLargeBlocks() {
        nb_return_large_blocks()
    }

    /// Lets all threads take their memory from one pool of the allocator; call it before the first thread is started.
    ///
    /// By default most threads have a pool of their own, and what one thread makes and another one drops leaves each pool as large
    /// as it ever was. Threads that allocate much at the same time wait for each other then.
    public static func useOneArena() {
        nb_use_one_arena()
    }

    /// Returns the number of descriptors that one kind of work may hold: `most`, or a quarter of what is there.
    public static func descriptors(atMost most: Int) -> Int {
        max(1, min(most, (nb_descriptor_limit() - reservedDescriptors) / 4))
    }

    /// Checks that the process may open descriptors, and start so many `threads` and map so many `bytes` more.
    ///
    /// Otherwise it would wait forever for a thread, or end where an allocation fails.
    /// - Throws: `ProcessLimitError`.
    public static func check(threads: Int, bytes: Int) throws(ProcessLimitError) {
        let descriptors = nb_descriptor_limit()
        guard descriptors >= leastDescriptors else {
            throw .descriptors(limit: descriptors, needed: leastDescriptors)
        }
        let space = nb_address_space_limit()
        guard space < 0 || nb_has_address_space(UInt64(bytes)) == 1 else {
            throw .addressSpace(limit: Int(space), needed: bytes)
        }
        try check(threads: threads)
    }

    /// Starts so many threads at once, and ends them.
    private static func check(threads: Int) throws(ProcessLimitError) {
        let (end, ended) = (TimedSemaphore(), TimedSemaphore())
        var started = 0
        do throws(FileError) {
            while started < threads {
                try SystemThread.start("probe") {
                    end.wait()
                    ended.signal()
                }
                started += 1
            }
        } catch {}
        for _ in 0..<started { end.signal() }
        for _ in 0..<started { ended.wait() }
        guard started == threads else { throw .threads(started: started, needed: threads) }
    }
}

/// A limit of the system that is too low.
public enum ProcessLimitError: Error, Sendable, CustomStringConvertible {
    /// The process may open `limit` descriptors.
    case descriptors(limit: Int, needed: Int)
    /// The system started so many threads.
    case threads(started: Int, needed: Int)
    /// The process may map `limit` bytes in all, and `needed` are not free.
    case addressSpace(limit: Int, needed: Int)

    /// The limit, the need and the remedy.
    public var description: String {
        switch self {
        case .descriptors(let limit, let needed):
            "the limit of open files is \(limit), and at least \(needed) are needed: raise it (ulimit -n)"
        case .threads(let started, let needed):
            """
            the system started only \(started) of \(needed) threads that are needed: raise the limits of processes \
            (ulimit -u, pids.max) and of memory (ulimit -v)
            """
        case .addressSpace(let limit, let needed):
            """
            the limit of address space is \(limit / 1_000_000) MB, and \(needed / 1_000_000) MB more than the program \
            itself are needed: raise it (ulimit -v), or lower limits.memory
            """
        }
    }
}
