import Foundation
import TestSupport
import Testing

/// The shards of a folder as Python's tarfile, or pyarrow, reads them.
struct ReadShards {
    struct Member: Decodable {
        let shard: String
        let name: String
        let offset: Int
        let size: Int
        let sha256: String
        /// Of a JSON file.
        let url: String?
        /// Of a JSON file or a caption.
        let text: String?

        var key: String { String(name.prefix { $0 != "." }) }
    }

    /// The members in the order in which they stand.
    let members: [Member]
    /// The shards' names, sorted, and SHA-256 of their bytes.
    let shards: [String: String]

    /// Reads all complete shards in `folder`; records an issue for one that is not complete.
    init(_ folder: String, pack: String = "tar") async throws {
        let outcome =
            pack == "parquet"
            ? try await ParquetInstallation.run(Self.parquet, [folder], in: "/")
            : try await Program(path: "/usr/bin/python3", ["-c", Self.tar, folder], in: "/").wait()
        #expect(outcome.exit == 0, "\(outcome.errors)")
        let rows = try outcome.lines.map { try JSONDecoder().decode(Member.self, from: Data($0.utf8)) }
        members = rows.filter { !$0.name.isEmpty }
        shards = Dictionary(
            uniqueKeysWithValues: rows.filter { $0.name.isEmpty }.map { ($0.shard, $0.sha256) }
        )
    }

    private static let tar = """
        import glob, hashlib, json, os, sys, tarfile
        for path in sorted(glob.glob(sys.argv[1] + "/*.tar")):
            shard = os.path.basename(path)
            whole = open(path, "rb").read()
            print(json.dumps({"shard": shard, "name": "", "offset": 0, "size": len(whole),
                "sha256": hashlib.sha256(whole).hexdigest()}))
            end = 0
            with tarfile.open(path, "r:") as archive:
                for m in archive:
                    assert m.isreg() and m.mtime == 0 and m.uid == 0 and m.gid == 0
                    data = archive.extractfile(m).read()
                    assert len(data) == m.size
                    end = m.offset_data + (m.size + 511) // 512 * 512
                    row = {"shard": shard, "name": m.name, "offset": m.offset_data, "size": m.size,
                        "sha256": hashlib.sha256(data).hexdigest()}
                    if m.name.endswith((".json", ".txt")):
                        row["text"] = data.decode()
                    if m.name.endswith(".json"):
                        row["url"] = json.loads(data)["url"]
                    print(json.dumps(row))
            assert len(whole) == end + 1024 and whole[end:] == bytes(1024), "no end: " + shard
        """

    /// Each row as the two members that it was made of.
    private static let parquet = """
        import glob, hashlib
        for path in sorted(glob.glob(sys.argv[1] + "/*.parquet")):
            shard = os.path.basename(path)
            whole = open(path, "rb").read()
            print(json.dumps({"shard": shard, "name": "", "offset": 0, "size": len(whole),
                "sha256": hashlib.sha256(whole).hexdigest()}))
            for row in pq.read_table(path).to_pylist():
                data, name = row["image"]["bytes"], row["image"]["path"]
                member = {"shard": shard, "name": name, "offset": 0, "size": len(data),
                    "sha256": hashlib.sha256(data).hexdigest()}
                print(json.dumps(member))
                print(json.dumps({**member, "name": row["key"] + ".json", "url": row["url"]}))
        """

    /// The items' keys in the order in which they stand, one for each group of members side by side.
    var groups: [String] {
        var keys: [String] = []
        var last = ""
        for member in members where member.shard + member.key != last {
            last = member.shard + member.key
            keys.append(member.key)
        }
        return keys
    }
}
