import Files
import Foundation
import JobPlanning

/// The files that parts of a collection leave for the last one.
extension FleetStore {
    /// Writes a file of a part in pieces, each named by its digest, so that no writer changes what another has written.
    /// - Throws: `RunError.machine`.
    func writePieces(of path: String, part: CollectPart) async throws(RunError) -> [PartRecord.Piece] {
        try await RunError.wrapping {
            let file = try Payload(file: path)
            var pieces: [PartRecord.Piece] = []
            for start in stride(from: 0, to: file.count, by: PartRecord.Piece.most) {
                let payload = file[start..<min(start + PartRecord.Piece.most, file.count)]
                let digest = SHA256Name(digest: Data(try Digest.sha256.bytes(of: payload)))
                let piece = PartRecord.Piece(sha256: digest, bytes: payload.count)
                try await write(
                    payload,
                    at: "\(FleetKey.part(part))\(piece.sha256)",
                    type: "application/octet-stream"
                )
                pieces.append(piece)
            }
            return pieces
        }
    }

    /// Writes the file of a part's state from its pieces.
    /// - Throws: `RunError.forged` for a piece that is missing or another one, `machine`.
    func readPieces(of record: PartRecord, part: CollectPart, to path: String) async throws(RunError) {
        try await RunError.wrapping {
            let file = try FileHandle.scratch(path)
            defer { try? file.close() }
            for piece in record.pieces { try file.write(contentsOf: try await read(piece, of: part)) }
        }
    }

    /// Returns true if the store has all pieces of a part.
    /// - Throws: `RunError.machine`.
    func hasPieces(of record: PartRecord, part: CollectPart) async throws(RunError) -> Bool {
        do throws(RunError) {
            for piece in record.pieces + record.files { _ = try await read(piece, of: part) }
            return true
        } catch {
            guard error.exit == .giveUp else { throw error }
            return false
        }
    }

    /// Returns the bytes of a piece.
    /// - Throws: `RunError.forged` for one that is missing or another one, `machine`.
    func read(_ piece: PartRecord.Piece, of part: CollectPart) async throws(RunError) -> Data {
        let key = "\(FleetKey.part(part))\(piece.sha256)"
        guard let data = try await read(key, limit: piece.bytes), data.count == piece.bytes,
            SHA256Name(of: data) == piece.sha256
        else { throw .forged("\(appending(key)) is missing or was changed: \(part.remedy)") }
        return data
    }

    /// Returns the record of a part; nil if it has none yet.
    /// - Throws: `RunError.forged` for one that no part of this plan has written, or without the code by `secret`; `machine`.
    func record(
        of part: CollectPart,
        in plan: SHA256Name,
        secret: String?
    ) async throws(RunError) -> PartRecord? {
        let key = FleetKey.record(part)
        guard let record = try await decode(PartRecord.self, at: key, limit: PartRecord.limit) else {
            return nil
        }
        guard record.plan == plan else {
            throw .forged(
                "\(appending(key)): plan is that of another plan, \(record.plan.short): \(part.remedy)"
            )
        }
        guard record.part == part.number, record.parts == part.count else {
            throw .forged(
                "\(appending(key)): part is \(record.part)/\(record.parts), not \(part): \(part.remedy)"
            )
        }
        if let secret, record.code != record.code(by: secret) {
            throw .forged(
                "\(appending(key)): code is not that of the secret in \(CollectSecret.variable): it was changed, or collected with "
                    + "another secret: \(part.remedy)"
            )
        }
        return record
    }
}

extension CollectPart {
    /// The remedy for a part that cannot be used.
    var remedy: String { "run nuke-batch fleet collect --part \(self) again" }
}
