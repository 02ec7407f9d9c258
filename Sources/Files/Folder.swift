import CFiles
public import Foundation

/// An open folder.
///
/// Names are resolved below it and nowhere else.
///
/// Symbolic links below it are never followed, and `..` never leaves it (`openat2` with `RESOLVE_BENEATH` and
/// `RESOLVE_NO_SYMLINKS`, Linux 5.6), so an untrusted name cannot reach other files. May be used from any thread.
public final class Folder: Sendable {
    /// The attributes of a file.
    public struct Status: Hashable, Sendable {
        /// Length in bytes.
        public let size: Int
        /// The time of the last change of the content, in nanoseconds since 1970.
        public let modified: Int64
        /// The time of the last change of the content, the names or the attributes, in nanoseconds since 1970, which no program
        /// can set.
        public let changed: Int64
        /// The inode number.
        public let inode: UInt64
        /// True for a folder.
        public let isFolder: Bool
        /// True for a regular file.
        public let isFile: Bool
        /// The permissions, such as 0644.
        public let permissions: UInt32
    }

    /// The path that the folder was opened at, for messages.
    public let path: String
    let descriptor: Int32
    /// The device number of its file system.
    let device: UInt64

    var mount: Mount { Mount(device: device, number: nb_mount(descriptor)) }

    /// Opens the folder at `path`.
    ///
    /// Symbolic links in `path` itself are followed.
    ///
    /// With `create`, creates it with `permissions` if it is missing; missing parents are as every folder (``Permissions``).
    /// - Throws: `FileError`.
    public convenience init(
        path: String,
        create: Bool = false,
        permissions: UInt32 = Permissions.folder
    ) throws(FileError) {
        if create { try Self.make(path, permissions: permissions) }
        let folder = nb_open(path, O_RDONLY | O_DIRECTORY, 0)
        guard folder >= 0 else { throw FileError("open the folder", following: path, code: errno) }
        try self.init(path: path, descriptor: folder)
    }

    /// Takes ownership of an open descriptor, or throws `errno` if opening failed.
    private init(path: String, descriptor: Int32) throws(FileError) {
        guard descriptor >= 0 else { throw FileError("open the folder", path, code: errno) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else {
            let code = errno
            close(descriptor)
            throw FileError("examine the folder", path, code: code)
        }
        (self.path, self.descriptor, device) = (path, descriptor, UInt64(status.st_dev))
    }

    deinit {
        close(descriptor)
    }

    /// Opens the folder `name` below this one.
    ///
    /// With `create`, creates it and its parents if they are missing; created folders are durable on return.
    /// - Throws: `FileError`.
    public func folder(_ name: String, create: Bool = false) throws(FileError) -> Folder {
        var opened = nb_open_beneath(descriptor, name.isEmpty ? "." : name, O_RDONLY | O_DIRECTORY, 0)
        if opened < 0, errno == ENOENT, create {
            try makeFolders(name)
            opened = nb_open_beneath(descriptor, name, O_RDONLY | O_DIRECTORY, 0)
        }
        return try Folder(path: path(name), descriptor: opened)
    }

    /// Returns the bytes of the file `name`.
    ///
    /// Refuses a file longer than `limit` bytes with `EFBIG`.
    /// - Throws: `FileError`; `isMissing` if there is no such file.
    public func read(_ name: String, limit: Int = .max) throws(FileError) -> Data {
        try readWithStatus(name, limit: limit).data
    }

    /// Returns the bytes of a file whose name need not be UTF-8.
    /// - Throws: As `read`.
    public func read(_ name: BytePath, limit: Int = .max) throws(FileError) -> Data {
        try readWithStatus(name, limit: limit).data
    }

    /// As `read`, together with the attributes of the file at the time of opening.
    /// - Throws: As `read`.
    public func readWithStatus(
        _ name: String,
        limit: Int = .max
    ) throws(FileError) -> (data: Data, status: Status) {
        try readWithStatus(BytePath(name), limit: limit)
    }

    private func readWithStatus(
        _ name: BytePath,
        limit: Int
    ) throws(FileError) -> (data: Data, status: Status) {
        let (file, status) = try openRegularFile(name, for: "read")
        defer { close(file) }
        let path = path(name.description)
        guard status.st_size <= limit else { throw FileError("read", path, code: EFBIG) }
        // The file may shrink while it is read.
        let data = try WholeTransfer.read(count: Int(status.st_size), from: file, path: path)
        return (data, Status(status))
    }

    /// Opens the file `name` to be read, for the operation that messages name; the caller closes it.
    private func openRegularFile(
        _ name: BytePath,
        for operation: String
    ) throws(FileError) -> (file: Int32, status: stat) {
        // Without O_NONBLOCK, opening a named pipe waits for a writer, possibly forever.
        let file = name.withCString { nb_open_beneath(descriptor, $0, O_RDONLY | O_NONBLOCK, 0) }
        let name = name.description
        guard file >= 0 else { throw FileError("open", path(name), code: errno) }
        var status = stat()
        let examined = fstat(file, &status) == 0
        guard examined, status.st_mode & S_IFMT == S_IFREG else {
            let code = examined ? EINVAL : errno
            close(file)
            throw FileError(examined ? operation : "examine", path(name), code: code)
        }
        return (file, status)
    }

    /// Opens the file `name` for a ``DurableFile``, together with its attributes at the time of opening.
    func openToShare(_ name: String) throws(FileError) -> (descriptor: Int32, status: Status) {
        let (file, status) = try openRegularFile(BytePath(name), for: "share")
        return (file, Status(status))
    }

    /// Maps the file `name`, together with its attributes at the time of opening.
    ///
    /// Refuses a file that is not exactly `count` bytes long with `EFBIG`.
    /// - Throws: `FileError`; `isMissing` if there is no such file.
    public func mapWithStatus(
        _ name: String,
        count: Int
    ) throws(FileError) -> (file: MappedFile, status: Status) {
        let (file, status) = try openRegularFile(BytePath(name), for: "map")
        defer { close(file) }
        guard status.st_size == count else { throw FileError("map", path(name), code: EFBIG) }
        return (try MappedFile(descriptor: file, count: count, path: path(name)), Status(status))
    }

    /// Appends the bytes of the file `name` to `copy`; `each` receives the pieces in order, none of which is large.
    ///
    /// Refuses a file longer than `limit` bytes with `EFBIG`.
    /// - Throws: `FileError`; `isMissing` if there is no such file.
    public func copy(
        _ name: BytePath,
        to copy: UnnamedFile,
        limit: Int,
        _ each: (Data) -> Void
    ) throws(FileError) {
        let (file, _) = try openRegularFile(name, for: "read")
        defer { close(file) }
        let path = path(name.description)
        var offset = 0
        while true {
            let piece = try WholeTransfer.read(count: 256 * 1024, from: file, at: offset, path: path)
            guard !piece.isEmpty else { return }
            offset += piece.count
            guard offset <= limit else { throw FileError("read", path, code: EFBIG) }
            try copy.append(piece)
            each(piece)
        }
    }

    /// Returns `count` bytes of the file `name` from `offset` on; fewer if the file ends first.
    /// - Throws: `FileError`; `isMissing` if there is no such file.
    public func read(_ name: String, from offset: Int, count: Int) throws(FileError) -> Data {
        let file = nb_open_beneath(descriptor, name, O_RDONLY | O_NONBLOCK, 0)
        guard file >= 0 else { throw FileError("open", path(name), code: errno) }
        defer { close(file) }
        return try WholeTransfer.read(count: count, from: file, at: offset, path: path(name))
    }

    /// True if the path that the folder was opened at still leads to it.
    ///
    /// False if the folder was renamed, removed or replaced, or if another file system is mounted there now.
    public var isInPlace: Bool {
        var (opened, found) = (stat(), stat())
        return fstat(descriptor, &opened) == 0 && stat(path, &found) == 0
            && opened.st_dev == found.st_dev && opened.st_ino == found.st_ino
    }

    /// Renames the file `name` to `newName`, which replaces an existing file.
    ///
    /// Both are below this folder.
    ///
    /// The change of names is not synced.
    /// - Throws: `FileError`; `isMissing` if there is no such file.
    public func rename(_ name: String, to newName: String) throws(FileError) {
        let (source, old) = try parent(of: name)
        let (target, new) = try parent(of: newName)
        guard let source, let target else { throw FileError("rename", path(name), code: ENOENT) }
        guard renameat(source.descriptor, old, target.descriptor, new) == 0 else {
            throw FileError("rename", path(name), code: errno)
        }
    }

    /// Renames the file `name` to `newName`, and gives it the attributes of a file that it replaces.
    ///
    /// The change of names is not synced.
    /// - Throws: `FileError`; `isMissing` if there is no such file.
    public func publish(_ name: String, as newName: String) throws(FileError) {
        let file = nb_open_beneath(descriptor, name, O_RDWR | O_NONBLOCK, 0)
        guard file >= 0 else { throw FileError("open", path(name), code: errno) }
        defer { close(file) }
        try handOver(newName, to: file)
        try rename(name, to: newName)
    }

    /// Gives an open file the permissions, the access list and, as far as the system allows, the owner of the file `name`; nothing
    /// if there is none.
    func handOver(_ name: String, to file: Int32) throws(FileError) {
        let old = nb_open_reference(descriptor, name)
        // What stands in the way of a look is told by the rename.
        guard old >= 0 else { return }
        defer { close(old) }
        guard nb_take_over(file, old) == 0 else {
            throw FileError("keep the permissions of", path(name), code: errno)
        }
    }

    /// Removes the file `name`.
    ///
    /// Returns false if it did not exist.
    ///
    /// The removal is not synced.
    /// - Throws: `FileError`.
    @discardableResult
    public func remove(_ name: String) throws(FileError) -> Bool {
        let (parent, last) = try parent(of: name)
        guard let parent else { return false }
        if unlinkat(parent.descriptor, last, 0) == 0 { return true }
        guard errno == ENOENT else { throw FileError("remove", path(name), code: errno) }
        return false
    }

    /// Removes the folder `name` if it is empty.
    ///
    /// Returns true if it was removed.
    ///
    /// The removal is not synced.
    /// - Throws: `FileError`.
    public func removeFolder(_ name: String) throws(FileError) -> Bool {
        let (parent, last) = try parent(of: name)
        guard let parent else { return false }
        if unlinkat(parent.descriptor, last, AT_REMOVEDIR) == 0 { return true }
        guard errno == ENOTEMPTY || errno == EEXIST || errno == ENOENT else {
            throw FileError("remove the folder", path(name), code: errno)
        }
        return false
    }

    /// The names in the folder, without `.` and `..`, in the system's order.
    /// - Throws: `FileError`.
    public func names() throws(FileError) -> [String] {
        let copy = nb_open_beneath(descriptor, ".", O_RDONLY | O_DIRECTORY, 0)
        guard copy >= 0 else { throw FileError("list", path, code: errno) }
        guard let stream = fdopendir(copy) else {
            let code = errno
            close(copy)
            throw FileError("list", path, code: code)
        }
        defer { closedir(stream) }
        var names: [String] = []
        while true {
            // A null pointer means the end of the folder, or an error, which only errno shows.
            errno = 0
            guard let entry = readdir(stream) else {
                guard errno == 0 else { throw FileError("list", path, code: errno) }
                return names
            }
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
        }
    }

    /// Makes names that were linked, renamed or removed in this folder durable (`fsync`).
    /// - Throws: `FileError`.
    public func sync() throws(FileError) {
        guard fsync(descriptor) == 0 else { throw FileError("sync the folder", path, code: errno) }
    }

    /// Writes the folder's whole file system to the disk, where the kernel can (`syncfs`).
    public func syncFileSystem() {
        _ = nb_sync_file_system(descriptor)
    }

    /// The path of the parent folder of `name`, nil if it has none, and the last component of `name`.
    package static func split(_ name: String) -> (parent: String?, last: String) {
        guard let slash = name.unicodeScalars.lastIndex(of: "/") else { return (nil, name) }
        return (String(name[..<slash]), String(name.rest(after: slash)))
    }

    /// The path of the folder that the file at `path` is in; `.` for a name alone.
    ///
    /// `NSString.deletingLastPathComponent` traps for a name of one character.
    package static func enclosing(_ path: String) -> String {
        guard let parent = split(path).parent else { return "." }
        return parent.isEmpty ? "/" : parent
    }

    /// The parent folder of `name`, nil if it is missing, and the last component of `name`.
    private func parent(of name: String) throws(FileError) -> (folder: Folder?, last: String) {
        let (parent, last) = Self.split(name)
        guard let parent else { return (self, last) }
        do {
            return (try folder(parent), last)
        } catch {
            guard error.isMissing else { throw error }
            return (nil, last)
        }
    }

    func path(_ name: String) -> String {
        name.isEmpty ? path : path + "/" + name
    }

    private func makeFolders(_ name: String) throws(FileError) {
        var parent = self
        for part in name.parts(at: "/") where !part.isEmpty && part != "." {
            let part = String(part)
            let made = mkdirat(parent.descriptor, part, Permissions.folder) == 0
            guard made || errno == EEXIST else { throw FileError("make the folder", path(name), code: errno) }
            if made { try parent.sync() }
            parent = try parent.folder(part)
        }
    }

    private static func make(_ path: String, permissions: UInt32) throws(FileError) {
        if mkdir(path, permissions) == 0 || errno == EEXIST { return }
        guard errno == ENOENT, let slash = path.unicodeScalars.lastIndex(of: "/"), slash != path.startIndex
        else { throw FileError("make the folder", following: path, code: errno) }
        try make(String(path[..<slash]), permissions: Permissions.folder)
        guard mkdir(path, permissions) == 0 || errno == EEXIST else {
            throw FileError("make the folder", following: path, code: errno)
        }
    }
}

/// A mount of a file system: a name is given and changed only within one (`linkat(2)`, `rename(2)`).
struct Mount: Equatable {
    let device: UInt64
    /// 0 if the system does not report it.
    let number: UInt64
}

extension Folder.Status {
    init(_ status: stat) {
        size = Int(status.st_size)
        modified = Int64(status.st_mtim.tv_sec) * 1_000_000_000 + Int64(status.st_mtim.tv_nsec)
        changed = Int64(status.st_ctim.tv_sec) * 1_000_000_000 + Int64(status.st_ctim.tv_nsec)
        inode = UInt64(status.st_ino)
        isFolder = status.st_mode & S_IFMT == S_IFDIR
        isFile = status.st_mode & S_IFMT == S_IFREG
        permissions = status.st_mode & 0o777
    }
}
