// Changes many files below one directory: all of them, or none, even if the process is killed or
// the machine stops.
//
// First, everything new is created under temporary names, beside the names that it is for. Then
// each is exchanged with what is there (renameat2(2)), which stays under the temporary name until
// the end. So no file is ever half written, and what was there is compared with what the caller
// expects when no other program can find it any more.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/not_copied.h"
#include "base/result.h"
#include "base/unique_fd.h"
#include "files/done_step.h"
#include "files/new_tree.h"

namespace ringfence {

// One name to change. Its directory exists, and no other step changes that directory's name.
struct TreeStep {
  DoneStep::Kind kind = DoneStep::Kind::kPut;
  std::string path;  // below the root
  Entry expected;    // what the caller has seen; kNone: nothing
  // What is in a directory that is replaced or removed (ContentsOf()).
  Contents expected_inside;
  NewTree tree;       // of kPut
  uint32_t mode = 0;  // of kMode
  // Of kMode: new extended attributes, or the path of a directory in the sources that has them.
  // Without both, they stay.
  std::optional<AttributeValues> attributes;
  std::string source;
  // Of kPut: a new file with `bytes` gets the extended attributes of the file that it replaces.
  bool keeps_attributes = false;
  bool mark = false;  // means nothing here; ReadUndo() returns it
};

// The open directories that a transaction works with; not owned.
struct TreeFolders {
  const UniqueFd& root;
  // Gets the journal while the transaction runs, and then what was replaced. Only the user may
  // write there.
  const UniqueFd& state;
  CopySources sources;
};

class TreeTransaction : NotCopied {
 public:
  explicit TreeTransaction(TreeFolders folders) : folders_(folders) {}
  // Undoes everything if Commit() was not reached.
  ~TreeTransaction();

  // Performs the steps. Returns the path of the first name that is not as expected, after which
  // everything is undone; nothing if all are in place. Call it once.
  Result<std::optional<std::string>> Perform(const std::vector<TreeStep>& steps);

  // After a mismatch: names that were changed while it was undone (Recovered::changed).
  const std::vector<std::string>& changed() const { return changed_; }

  // Waits until the changes are on the disk, and makes them final. `undo` is the name of a new
  // directory in `state`; it gets what was replaced, by the number of the step, and the steps.
  Status Commit(const std::string& undo);

 private:
  Status ReadAllAttributes(const std::vector<TreeStep>& steps);
  Status CreateAll(const std::vector<TreeStep>& steps);
  Result<std::optional<std::string>> PlaceAll();
  Status RollBack();

  TreeFolders folders_;
  std::vector<DoneStep> done_;
  std::vector<std::string> changed_;
  bool has_journal_ = false;
};

// What an earlier transaction in `state` left behind.
struct Recovered {
  bool was_interrupted = false;  // it was undone
  // Names that were changed since by another program, and so stay as they are. What they held
  // before is in `state`/kept, under the number of the step and its temporary name.
  std::vector<std::string> changed;
};

// Undoes an interrupted transaction, or completes one that was committed. Does nothing if there is
// none.
Result<Recovered> Recover(const UniqueFd& root, const UniqueFd& state);

// The steps of a committed transaction, in the directory that Commit() made.
Result<std::vector<DoneStep>> ReadUndo(const UniqueFd& undo);

}  // namespace ringfence
