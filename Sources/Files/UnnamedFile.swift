import CFiles
public import Foundation
import Synchronization

/// A file without a name that grows by appending, and disappears with its last reference unless a ``DurableWriter`` names it.
///
/// Its bytes take no memory of the process, only the kernel's cache. One thread at a time may append; every other
/// method may be used from any thread meanwhile.
public final class UnnamedFile: StandardStream {
    package let descriptor: Int32
    private let mount: Mount
    private let path: String
    private let size = Atomic<Int>(0)
    /// True while it can get its name: false on file systems without unnamed files, where its name was removed.
    private let isFree: Atomic<Bool>

    /// Creates an empty file on the file system of `folder`.
    /// - Throws: `FileError`.
    public init(in folder: Folder) throws(FileError) {
        path = "a new file in \(folder.path)"
        mount = folder.mount
        var file = nb_open_unnamed(folder.descriptor, Permissions.file)
        isFree = Atomic(file >= 0)
        if file < 0, errno == EOPNOTSUPP || errno == EISDIR {
            let name = ".nb-\(UUID().uuidString).tmp"
            file = nb_open_beneath(
                folder.descriptor,
                name,
                O_RDWR | O_CREAT | O_EXCL,
                Permissions.privateFile
            )
            if file >= 0 { unlinkat(folder.descriptor, name, 0) }
        }
        guard file >= 0 else { throw FileError("make", path, code: errno) }
        descriptor = file
    }

    deinit {
        close(descriptor)
    }

    /// The length in bytes.
    public var count: Int { size.load(ordering: .acquiring) }

    /// Appends bytes; after an error, none of them.
    /// - Throws: `FileError`.
    public func append(_ data: Data) throws(FileError) {
        let end = size.load(ordering: .relaxed)
        try WholeTransfer.write(data, to: descriptor, at: end, path: path)
        size.store(end + data.count, ordering: .releasing)
    }

    /// Returns the bytes of `range`; fewer if the file ends first.
    /// - Throws: `FileError`.
    public func read(_ range: Range<Int>) throws(FileError) -> Data {
        try WholeTransfer.read(count: range.count, from: descriptor, at: range.lowerBound, path: path)
    }

    /// Maps the bytes so far.
    /// - Throws: `FileError`.
    public func mapped() throws(FileError) -> MappedFile {
        try MappedFile(descriptor: descriptor, count: count, path: path)
    }

    /// Returns true if the caller may now give the file its name in `folder`; if that fails, it calls `giveBack`.
    ///
    /// It gets only one: with a second, a rename from one to the other would do nothing and leave both (`rename(2)`).
    /// On another mount, or after its name was removed, it cannot get one (`linkat(2)`).
    func take(toNameIn folder: Folder) -> Bool {
        mount == folder.mount && isFree.exchange(false, ordering: .acquiringAndReleasing)
    }

    /// Allows another caller to give the file its name.
    func giveBack() {
        isFree.store(true, ordering: .releasing)
    }
}
