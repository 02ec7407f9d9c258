public import Files
public import Foundation

/// A store in a folder: an object is a file, and the folders of its key are folders.
///
/// Symbolic links are not followed, and no key leaves the folder. Keys that a file system cannot keep, such as `a//b` or `..`,
/// are refused.
public final class FolderStore: Store {
    private let folder: Folder
    private let writer: DurableWriter
    private let staging: StagingFolder
    private let pageCount: Int

    /// Creates a store in `folder`, whose leftovers of killed writers are removed.
    ///
    /// A page of a listing has `pageCount` objects at most, as many as that of a bucket. Each page reads the names of a folder
    /// again, so that fewer pages are faster.
    /// - Throws: ``StoreError`` if the folder cannot be created.
    public init(
        _ path: String,
        writer: DurableWriter = DurableWriter(threads: 2),
        pageCount: Int = 1000
    ) throws(StoreError) {
        do throws(FileError) {
            folder = try Folder(path: path, create: true)
            try StagingFolder.sweep(folder)
        } catch {
            throw StoreError(error)
        }
        self.writer = writer
        self.pageCount = pageCount
        staging = StagingFolder(in: folder)
    }

    deinit {
        staging.close()
    }

    /// The path of the folder.
    public var description: String { folder.path }

    /// Writes a file; the attributes are ignored.
    public func put(_ payload: Payload, at key: String, _ attributes: ObjectAttributes)
        async throws(StoreError) -> ObjectFacts
    {
        try check(key)
        do throws(FileError) {
            try await writer.write(payload, to: key, in: folder, staging: staging)
        } catch {
            throw refusing(error)
        }
        return ObjectFacts(size: payload.count)
    }

    /// Writes a file unless there is one, by a link that replaces nothing.
    public func putIfAbsent(
        _ payload: Payload,
        at key: String,
        _ attributes: ObjectAttributes
    ) async throws(StoreError) -> Bool {
        try check(key)
        let result = await withCheckedContinuation { continuation in
            writer.submit(payload, to: key, in: folder, staging: staging, replaces: false) {
                continuation.resume(returning: $0)
            }
        }
        switch result {
        case .success: return true
        case .failure(let error) where error.code == EEXIST: return false
        case .failure(let error): throw refusing(error)
        }
    }

    /// Returns the bytes of a file.
    public func get(_ key: String, limit: Int) async throws(StoreError) -> Data {
        try check(key)
        do throws(FileError) { return try folder.read(key, limit: limit) } catch {
            if error.code == EFBIG {
                throw StoreError(
                    .tooLarge,
                    "cannot read \(folder.path)/\(key): it has more than \(limit) bytes"
                )
            }
            throw Self.isAbsent(error) ? StoreError(.notFound, error.description) : StoreError(error)
        }
    }

    /// Returns the size and the time of a file.
    public func head(_ key: String) async throws(StoreError) -> ObjectFacts? {
        try check(key)
        do throws(FileError) {
            guard let status = try folder.examine(key), !status.isFolder else { return nil }
            return ObjectFacts(status)
        } catch  where Self.isAbsent(error) {
            return nil
        } catch {
            throw StoreError(error)
        }
    }

    /// Returns the next files, in the order of a bucket.
    public func list(_ prefix: String, after key: String?) async throws(StoreError) -> ObjectPage {
        var walk = FolderListing(prefix: prefix, after: key, limit: pageCount + 1)
        // What is outside of the prefix's folder has no key below it.
        let parent = Folder.split(prefix).parent ?? ""
        do throws(FileError) {
            if parent.isEmpty || (try? check(parent)) == nil {
                try walk.visit(folder, path: "")
            } else {
                try walk.visit(try folder.folder(parent), path: parent + "/")
            }
        } catch  where Self.isAbsent(error) || error.code == ELOOP {
            return ObjectPage(entries: [])
        } catch {
            throw StoreError(error)
        }
        let isLast = walk.entries.count <= pageCount
        let entries = Array(walk.entries.prefix(pageCount))
        return ObjectPage(entries: entries, next: isLast ? nil : entries.last?.key)
    }

    /// Removes a file.
    public func delete(_ key: String) async throws(StoreError) {
        try check(key)
        do throws(FileError) {
            guard try folder.remove(key) else { return }
            try folder.folder(Folder.split(key).parent ?? "").sync()
        } catch  where Self.isAbsent(error) {
            return
        } catch {
            throw StoreError(error)
        }
    }

    private func check(_ key: String) throws(StoreError) {
        let parts = key.parts(at: "/")
        guard !parts.contains("") && !parts.contains(".") && !parts.contains(".."), !key.utf8.contains(0)
        else {
            throw StoreError(.refused, "cannot keep \"\(key)\" in \(folder.path): it is no name of a file")
        }
        guard !StagingFolder.isOwn(key) else {
            throw StoreError(.refused, "cannot keep \"\(key)\" in \(folder.path): the name is reserved")
        }
    }

    /// True if there is no such object: where a file stands in the place of its folder, none was ever put.
    private static func isAbsent(_ error: FileError) -> Bool {
        error.isMissing || error.code == ENOTDIR
    }

    /// A key cannot be a file where another one needs a folder, as it can in a bucket.
    private func refusing(_ error: FileError) -> StoreError {
        [ENOTDIR, EISDIR, EEXIST].contains(error.code)
            ? StoreError(.refused, error.description) : StoreError(error)
    }
}

/// A walk through a folder in the order of the bytes of its files' paths.
private struct FolderListing {
    let prefix: String
    let after: String?
    let limit: Int
    var entries: [ObjectPage.Entry] = []

    /// Visits a folder, whose path is empty or ends with a slash.
    mutating func visit(_ folder: Folder, path: String) throws(FileError) {
        var found: [(key: String, status: Folder.Status, name: String)] = []
        for name in try folder.names() {
            let key = path + name
            // Of names that are on an earlier page nothing is asked.
            guard !StagingFolder.isOwn(key), !Self.isRemoved(name), mayContain(key + "/") || isWanted(key),
                let status = try folder.examine(name)
            else { continue }
            // Folders sort as their contents do, with a slash behind their names.
            found.append((status.isFolder ? key + "/" : key, status, name))
        }
        for (key, status, name) in found.sorted(by: { Self.is($0.key, before: $1.key) }) {
            guard entries.count < limit else { return }
            if status.isFolder {
                if mayContain(key) { try visit(try folder.folder(name), path: key) }
            } else if isWanted(key) {
                entries.append(ObjectPage.Entry(key: key, facts: ObjectFacts(status)))
            }
        }
    }

    /// True for the name that NFS gives to a file which was removed while this machine had it open, until it is closed.
    private static func isRemoved(_ name: String) -> Bool {
        let digits = name.dropFirst(4)
        return name.hasPrefix(".nfs") && digits.utf8.count >= 16 && digits.allSatisfy(\.isHexDigit)
    }

    /// True for the key of a file that belongs to the page.
    private func isWanted(_ key: String) -> Bool {
        key.utf8.starts(with: prefix.utf8) && after.map { Self.is($0, before: key) } ?? true
    }

    /// True unless all files of a folder lie outside the prefix, or before the key to continue behind.
    private func mayContain(_ folder: String) -> Bool {
        let isInside = folder.utf8.starts(with: prefix.utf8) || prefix.utf8.starts(with: folder.utf8)
        guard let after else { return isInside }
        return isInside && (Self.is(after, before: folder) || after.utf8.starts(with: folder.utf8))
    }

    private static func `is`(_ one: String, before other: String) -> Bool {
        one.utf8.lexicographicallyPrecedes(other.utf8)
    }
}

extension ObjectFacts {
    fileprivate init(_ status: Folder.Status) {
        self.init(size: status.size, modified: Date(timeIntervalSince1970: Double(status.modified) / 1e9))
    }
}
