#include "program/passes.h"

namespace ddlbench::program {

void double_buffer_inputs(Plan& plan) {
  for (Role& role : plan.roles) {
    for (Program* program : {&role.train, &role.evaluate}) {
      for (Buffer& buffer : program->buffers) {
        if (buffer.persistent && buffer.memory_class == MemoryClass::inputs) buffer.versions = 2;
      }
    }
  }
}

}  // namespace ddlbench::program
