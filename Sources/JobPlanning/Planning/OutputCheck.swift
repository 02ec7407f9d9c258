import Dispatch
import Files
package import JobManifest
package import JobStorage
import Synchronization

/// Compares the folder of the outputs with what earlier runs recorded of it.
///
/// It looks at sizes and never reads a file, which `verify` does. A bucket is not looked at, since each page of its listing is
/// a request that costs.
package struct OutputCheck {
    /// So many recorded outputs may all be gone before it counts as a folder that is not mounted.
    private static let mostLost = 20

    private let manifest: Manifest
    private let store: JobStore
    private let root: String

    /// Creates the check of a manifest, with options applied; nil if there is nothing to look at.
    package init?(_ manifest: Manifest, options: RunOptions, store: JobStore) {
        guard !options.skipsCheck, !manifest.outputs.isEmpty, let root = manifest.destination.folder else {
            return nil
        }
        (self.manifest, self.store, self.root) = (manifest, store, root)
    }

    /// Looks at the recorded outputs, and requeues the items of those that are missing or have another size.
    /// - Returns: A sentence for people; nil if nothing is missing.
    /// - Throws: `RunError.machine` if all of many are gone, or if the folder cannot be looked at; `JobStoreError`.
    package func perform() throws -> String? {
        let folder = try open()
        var (missing, count): ([(itemID: Int64, name: String)], Int) = ([], 0)
        var page = try store.reader.finishedFiles()
        while let last = page.last {
            count += page.count
            missing += try Self.missing(page, in: folder)
            page = try store.reader.finishedFiles(after: last)
        }
        guard !missing.isEmpty else { return nil }
        guard missing.count < count || count <= Self.mostLost else {
            throw RunError.machine(
                """
                none of the \(count) recorded outputs is in \(root): mount it, or make all of them again with \
                nuke-batch verify --repair \(manifest.shownPath)
                """
            )
        }
        try store.requeueOutputs(missing)
        let outputs = missing.count == 1 ? "1 output is" : "\(missing.count) outputs are"
        return "\(outputs) missing in \(root), or not as they were written: this run makes them again"
    }

    /// The folder; nil if it is not there, and nothing that it holds.
    private func open() throws -> Folder? {
        do throws(FileError) {
            return try Folder(path: root)
        } catch {
            guard error.isMissing else { throw RunError.machine("\(error): the outputs cannot be looked at") }
            return nil
        }
    }

    /// Returns the files that are not in `folder` with their sizes, looking at several at once.
    private static func missing(
        _ files: [FinishedFile],
        in folder: Folder?
    ) throws -> [(itemID: Int64, name: String)] {
        guard let folder else { return files.map { ($0.itemID, $0.name) } }
        let found = Mutex<Result<[Int], FileError>>(.success([]))
        let width = 4
        DispatchQueue.concurrentPerform(iterations: width) { part in
            let range = files.count * part / width..<files.count * (part + 1) / width
            let own = missing(files, range, in: folder)
            found.withLock { all in
                all = all.flatMap { indices in own.map { indices + $0 } }
            }
        }
        do {
            return try found.withLock { try $0.get() }.sorted().map { (files[$0].itemID, files[$0].name) }
        } catch {
            throw RunError.machine("\(error): the outputs cannot be looked at")
        }
    }

    private static func missing(
        _ files: [FinishedFile],
        _ range: Range<Int>,
        in folder: Folder
    ) -> Result<[Int], FileError> {
        var missing: [Int] = []
        do throws(FileError) {
            for index in range where try folder.sizeOfFile(files[index].path) != files[index].bytes {
                missing.append(index)
            }
        } catch {
            return .failure(error)
        }
        return .success(missing)
    }
}
