public import Files
import Foundation

/// The objects of a listing in their order, in a file without a name.
///
/// They take no memory but 16 bytes for a page of a thousand. It may be used from any thread.
public struct ListedObjects: Sendable {
    private let file: UnnamedFile
    private let pages: [Range<Int>]
    /// The number of objects that were listed, including those that were not selected.
    public let listed: Int

    init(_ file: UnnamedFile, pages: [Range<Int>], listed: Int) {
        (self.file, self.pages, self.listed) = (file, pages, listed)
    }

    /// Returns a reader that begins with the first object.
    public func makeReader() -> Reader { Reader(file: file, pages: pages) }

    /// Returns the SHA-256 of the keys and facts in hexadecimal, which differs if one of them does.
    /// - Throws: `FileError`.
    public func digest() throws(FileError) -> String {
        let digest = RunningDigest()
        for page in pages { digest.append(try file.read(page)) }
        return Digest.hex(Data(digest.value))
    }

    /// Reads the objects one after the other.
    public struct Reader {
        private let file: UnnamedFile
        private var pages: ArraySlice<Range<Int>>
        private var records = ObjectRecords()

        fileprivate init(file: UnnamedFile, pages: [Range<Int>]) {
            (self.file, self.pages) = (file, pages[...])
        }

        /// Returns the next object; nil after the last.
        /// - Throws: `FileError`.
        public mutating func next() throws(FileError) -> ObjectPage.Entry? {
            while true {
                if let entry = records.next() { return entry }
                guard let page = pages.popFirst() else { return nil }
                records = ObjectRecords(try file.read(page))
            }
        }
    }
}

/// Collects objects in a file, a page after the other in any order.
public struct ListedObjectsWriter: Sendable {
    private let file: UnnamedFile

    /// Makes an empty file on the file system of `folder`.
    /// - Throws: `FileError`.
    public init(in folder: Folder) throws(FileError) {
        file = try UnnamedFile(in: folder)
    }

    /// Appends a page of objects, and returns their place.
    /// - Throws: `FileError`.
    public func append(_ entries: [ObjectPage.Entry]) throws(FileError) -> Range<Int> {
        var records = Data()
        for entry in entries { ObjectRecords.append(entry, to: &records) }
        return try append(records)
    }

    /// Appends the records of a page, and returns their place.
    func append(_ records: Data) throws(FileError) -> Range<Int> {
        let start = file.count
        if !records.isEmpty { try file.append(records) }
        return start..<file.count
    }

    /// Returns the objects of pages in this order; `listed` is the number of all that were looked at.
    public func finish(_ pages: [Range<Int>], listed: Int) -> ListedObjects {
        ListedObjects(file, pages: pages, listed: listed)
    }
}
