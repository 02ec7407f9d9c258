import Foundation
import TestSupport
import Testing

@testable import Fleet

/// The tree over a plan's partitions: each is proved by the root, and nothing else is.
@Suite struct PlanTreeTests {
    private func leaves(_ count: Int) -> [Data] { (0..<count).map { Data("leaf \($0)".utf8) } }

    @Test("the roots of RFC 9162's test vectors")
    func vectors() {
        // The leaves and roots that implementations of RFC 6962 and RFC 9162 are tested with (google/certificate-transparency,
        // merkletree/merkle_tree_test.cc).
        let texts = [
            "", "00", "10", "2021", "3031", "40414243", "5051525354555657",
            "606162636465666768696a6b6c6d6e6f",
        ]
        let inputs = texts.map { text -> Data in
            let digits = Array(text)
            return Data(
                stride(from: 0, to: digits.count, by: 2).map {
                    UInt8(String(digits[$0...($0 + 1)]), radix: 16) ?? 0
                }
            )
        }
        let roots = [
            0: "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
            1: "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
            2: "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
            3: "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
            5: "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
            8: "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
        ]
        for (count, root) in roots {
            #expect(PlanTree(Array(inputs.prefix(count))).root.description == root, "\(count) leaves")
        }
    }

    @Test(
        "every leaf of trees of every size is proved, at its place alone",
        arguments: [1, 2, 3, 4, 5, 7, 8, 9, 31, 33, 100]
    )
    func proofs(count: Int) {
        let leaves = leaves(count)
        let tree = PlanTree(leaves)
        for index in 0..<count {
            let proof = tree.proof(of: index)
            func proves(_ leaf: Data, _ index: Int, _ count: Int, _ proof: [SHA256Name]) -> Bool {
                PlanTree.proves(leaf, at: index, of: count, proof, root: tree.root)
            }
            #expect(proves(leaves[index], index, count, proof))
            #expect(!proves(Data("forged".utf8), index, count, proof))
            for other in 0..<count where other != index {
                #expect(!proves(leaves[index], other, count, proof))
            }
            #expect(!proves(leaves[index], -1, count, proof) && !proves(leaves[index], count, count, proof))
            #expect(!proves(leaves[index], index, count, proof + [tree.root]))
            for position in proof.indices {
                var changed = proof
                changed[position] = SHA256Name(of: Data("other".utf8))
                #expect(!proves(leaves[index], index, count, changed))
                #expect(!proves(leaves[index], index, count, Array(proof.dropLast())))
            }
        }
        #expect(PlanTree(leaves.reversed()).root == tree.root || count > 1)
    }
}
