import Files
import Foundation

/// The parts that a CompleteMultipartUpload names, checked against those that were uploaded.
struct CompletedParts {
    private let parts: [LoopbackObjectStore.Part]

    init(document: Data, upload: LoopbackObjectStore.Upload, minimumPartSize: Int) throws(ObjectStoreError) {
        guard let root = DocumentElement.parse(document), root.name == "CompleteMultipartUpload" else {
            throw .malformedXML("the root must be CompleteMultipartUpload")
        }
        let elements = root.children.filter { $0.name == "Part" }
        guard !elements.isEmpty else { throw .malformedXML("no Part") }
        var parts: [LoopbackObjectStore.Part] = []
        var last = 0
        for element in elements {
            guard let number = element["PartNumber"].flatMap({ Int($0.text) }),
                let etag = element["ETag"]?.text
            else { throw .malformedXML("a Part needs PartNumber and ETag") }
            guard number > last else {
                throw ObjectStoreError(
                    400,
                    code: "InvalidPartOrder",
                    "The list of parts was not in ascending order. Parts must be ordered by part number."
                )
            }
            last = number
            guard let part = upload.parts[number], ObjectStoreService.matches(etag, part.etag),
                Self.agree(element, part)
            else {
                throw ObjectStoreError(
                    400,
                    code: "InvalidPart",
                    "One or more of the specified parts could not be found. The part may not have been uploaded, "
                        + "or the specified entity tag may not match the part's entity tag.",
                    details: [("PartNumber", String(number)), ("ETag", etag), ("UploadId", upload.id)]
                )
            }
            parts.append(part)
        }
        for part in parts.dropLast() where part.data.count < minimumPartSize {
            throw ObjectStoreError(
                400,
                code: "EntityTooSmall",
                "Your proposed upload is smaller than the minimum allowed size",
                details: [
                    ("ProposedSize", String(part.data.count)), ("MinSizeAllowed", String(minimumPartSize)),
                ]
            )
        }
        self.parts = parts
    }

    /// True if each checksum that `element` names is that of `part`.
    private static func agree(_ element: DocumentElement, _ part: LoopbackObjectStore.Part) -> Bool {
        Checksum.allCases.allSatisfy { checksum in
            guard let given = element[checksum.element]?.text else { return true }
            return given == part.checksums[checksum.header]
        }
    }

    var data: Data {
        var data = Data(capacity: parts.reduce(0) { $0 + $1.data.count })
        for part in parts { data += part.data }
        return data
    }

    /// The MD5 of the parts' MD5s, and their number.
    var etag: String {
        let digests = parts.reduce(into: Data()) { $0 += Digest.md5.bytes(of: $1.data) }
        return "\"\(Digest.md5.hex(of: digests))-\(parts.count)\""
    }

    /// The object's checksum by the algorithm that the upload began with.
    func checksum(of upload: LoopbackObjectStore.Upload) -> (header: String, element: String, value: String)?
    {
        guard let algorithm = upload.algorithm else { return nil }
        let parts = parts.map { $0.checksums[algorithm.header] ?? algorithm.value(of: $0.data) }
        let value = upload.coversWholeObject ? algorithm.value(of: data) : algorithm.composite(of: parts)
        return (algorithm.header, algorithm.element, value)
    }
}
