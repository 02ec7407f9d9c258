import Files
import Foundation
import JobManifest
import ObjectStorage

/// Reads S3 Inventories, which list buckets in files, in place of listings.
extension SourceLoader {
    /// The most bytes of the manifest of an inventory, which names a file for a million objects.
    private static let longestManifest = 64 << 20

    /// Returns the objects that `selection` selects in the inventory whose manifest is at `location`, and which is to be read.
    /// - Throws: `StoreError`, `SourceError`, `FileError`; so does the reading.
    func inventory(
        _ location: ObjectLocation,
        of selection: ObjectSelection,
        with client: S3Client,
        in folder: ScratchFolder
    ) async throws -> Listing {
        let manifest = try await ObjectReader(client, location)
        guard manifest.facts.size <= Self.longestManifest else {
            throw SourceError(location.description, "is too long for the manifest of an inventory")
        }
        var document = Data()
        while document.count < manifest.facts.size {
            document += try await manifest.piece(at: document.count)
        }
        let inventory = try Inventory(document, label: location.description)
        let objects = try ListedObjects(in: Folder(path: folder.path))
        let bucket = ListedBucket(bucket: inventory.bucket, objects: objects)
        let own = self.manifest.ownPrefix(in: inventory.bucket, of: selection)
        let matcher = ObjectMatcher(selection, bucket: inventory.bucket, own: own)
        return Listing(bucket: bucket) {
            var listed = 0
            for part in inventory.parts {
                let path = "\(folder.path)/inventory"
                let object = ObjectLocation(bucket: location.bucket, key: part.key)
                try await self.copy(try await ObjectReader(client, object), to: path, md5: part.md5)
                listed += try await self.reading.run {
                    try Self.add(part, at: path, of: inventory, selectedBy: matcher, to: bucket)
                }
            }
            objects.end(.success(listed))
        }
    }

    /// Adds the selected objects of a file of an inventory, and returns the number of all.
    private static func add(
        _ part: Inventory.Part,
        at path: String,
        of inventory: Inventory,
        selectedBy matcher: ObjectMatcher,
        to bucket: ListedBucket
    ) throws -> Int {
        var matcher = matcher
        var page: [ObjectPage.Entry] = []
        var listed = 0
        try inventory.forEachObject(in: part, at: path) { object in
            listed += 1
            guard matcher.selects(object) else { return }
            guard !matcher.isOwn(object.key) else { return bucket.leaveOut(1) }
            page.append(object)
            guard page.count == 1000 else { return }
            bucket.objects.add([try bucket.objects.store(page)])
            page.removeAll(keepingCapacity: true)
        }
        if !page.isEmpty { bucket.objects.add([try bucket.objects.store(page)]) }
        return listed
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
            try Digest.md5.hex(of: Payload(file: path))
        }
        guard found == md5.lowercased() else {
            throw SourceError(
                object.location.description,
                "does not have the MD5 that the inventory's manifest tells: \(found), not \(md5)"
            )
        }
    }
}
