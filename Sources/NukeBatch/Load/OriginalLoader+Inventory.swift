import Files
import Foundation
import JobManifest
import JobPlanning
import Nuke
import ObjectStorage

/// Reads S3 Inventories, which list buckets in files, in place of listings.
extension OriginalLoader {
    /// The most bytes of the manifest of an inventory, which names a file for a million objects.
    private static let longestManifest = 64 << 20

    /// Returns the objects that `selection` selects in the inventory whose manifest is at `location`.
    /// - Throws: `StoreError`, `SourceError`, `FileError`.
    func inventory(
        _ location: ObjectLocation,
        of selection: ObjectSelection,
        with client: S3Client,
        in folder: ScratchFolder
    ) async throws -> ListedBucket {
        let manifest = try await ObjectReader(client, location)
        guard manifest.facts.size <= Self.longestManifest else {
            throw SourceError(
                file: location.description,
                message: "is too long for the manifest of an inventory"
            )
        }
        var document = Data()
        while document.count < manifest.facts.size {
            document += try await manifest.piece(at: document.count)
        }
        let inventory = try Inventory(document, label: location.description)
        let writer = try ListedObjectsWriter(in: Folder(path: folder.path))
        var pages: [Range<Int>] = []
        var (listed, leftOut) = (0, 0)
        for part in inventory.parts {
            let path = "\(folder.path)/inventory"
            let object = ObjectLocation(bucket: location.bucket, key: part.key)
            try await copy(try await ObjectReader(client, object), to: path, md5: part.md5)
            let own = ownPrefix(in: inventory.bucket)
            let matcher = ObjectMatcher(selection, bucket: inventory.bucket, own: own)
            let read = try await reading.run {
                try ListedPart(part, at: path, of: inventory, matcher: matcher, writer: writer)
            }
            pages += read.pages
            listed += read.listed
            leftOut += read.leftOut
        }
        return ListedBucket(
            bucket: inventory.bucket,
            objects: writer.finish(pages, listed: listed),
            leftOut: leftOut
        )
    }

    /// Copies an object to the file at `path`, and checks its digest.
    private func copy(_ object: ObjectReader, to path: String, md5: String) async throws {
        try Data().write(to: URL(fileURLWithPath: path))
        let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
        defer { try? file.close() }
        var position = 0
        while position < object.facts.size {
            let piece = try await object.piece(at: position)
            try file.write(contentsOf: piece)
            position += piece.count
        }
        let found = try await reading.run {
            Digest.md5.hex(of: try Data(contentsOf: URL(fileURLWithPath: path), options: .alwaysMapped))
        }
        guard found == md5.lowercased() else {
            throw SourceError(
                file: object.location.description,
                message: "does not have the MD5 that the inventory's manifest tells: \(found), not \(md5)"
            )
        }
    }
}

/// The selected objects of a file of an inventory.
private struct ListedPart: Sendable {
    var pages: [Range<Int>] = []
    var (listed, leftOut) = (0, 0)

    init(
        _ part: Inventory.Part,
        at path: String,
        of inventory: Inventory,
        matcher: ObjectMatcher,
        writer: ListedObjectsWriter
    ) throws {
        var matcher = matcher
        var page: [ObjectPage.Entry] = []
        try inventory.forEachObject(in: part, at: path) { object in
            listed += 1
            guard matcher.selects(object) else { return }
            guard !matcher.isOwn(object.key) else {
                leftOut += 1
                return
            }
            page.append(object)
            guard page.count == 1000 else { return }
            pages.append(try writer.append(page))
            page.removeAll(keepingCapacity: true)
        }
        if !page.isEmpty { pages.append(try writer.append(page)) }
    }
}
