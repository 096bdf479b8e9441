"""The one compile decorator, and the bit operations that every kernel is made of.

All flags are set here and nowhere else; where compiled code is kept, `code_cache` says.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numba
import numpy as np
from llvmlite import ir
from numba import types
from numba.core.compiler_lock import global_compiler_lock
from numba.core.errors import NumbaExperimentalFeatureWarning
from numba.core.typeinfer import register_dispatcher
from numba.extending import intrinsic, overload

from bigtwo_sim.core.code_cache import INTERPRETED, keep_compiled

# First-class functions are numba's way to call any four strategies from one compiled loop. They are marked
# experimental, and the playthroughs and the equality of both loops are what guards us against a change in them.
warnings.filterwarnings("ignore", category=NumbaExperimentalFeatureWarning)

U64 = np.uint64
NO_BITS = U64(0)
ONE = U64(1)


def kernel(
    function: Callable[..., Any] | None = None,
    *,
    signature: Any = None,
    inline: bool = False,
    allocates: bool = False,
) -> Any:
    """Compile `function` with the project's flags: no GIL, NumPy's error model, cached on disk, no allocation.

    A kernel works on the arrays that it is handed, scratch space included.

    `signature` lets it be compiled for these types alone, when it is first called or handed to `compiled`; without one
    it is compiled for the types of each call. `inline` puts its body into every caller: right for small
    functions with array arguments, of which a call costs more than the work. `allocates` is for the outermost kernel
    of a long computation, which makes the scratch space for the others. Usable with or without arguments.
    """

    def decorate(body: Callable[..., Any]) -> Any:
        options: dict[str, Any] = {
            "nogil": True,
            "error_model": "numpy",
            "forceinline": inline,
            # Without the runtime nothing is allocated and no reference is counted: counting cost more than the work
            # (an answer that finds no play: 30 ns with it, 1 ns without).
            "_nrt": allocates,
        }
        dispatcher = numba.njit(**options)(body)
        if INTERPRETED:
            return dispatcher
        # What was typed at a prompt has no source file whose age a cache could look at.
        if Path(body.__code__.co_filename).exists():
            keep_compiled(dispatcher)
        if signature is not None:
            _compile_at_first_use(dispatcher, signature)
        return dispatcher

    return decorate if function is None else decorate(function)


_PENDING: dict[Any, Any] = {}
"""The signatures of the kernels that nobody has used yet."""


def compiled(function: Any) -> Any:
    """`function` itself, compiled if it is a kernel with a signature that nobody has used yet.

    What is passed to a compiled loop as an argument has to be: there numba asks for code that exists.
    """
    if function in _PENDING:
        with global_compiler_lock:
            signature = _PENDING.get(function)
            if signature is not None:
                with register_dispatcher(function):  # so that a kernel may call itself
                    function.compile(signature)
                function.disable_compile()
                del _PENDING[function]
    return function


def _compile_at_first_use(dispatcher: Any, signature: Any) -> None:
    """Have numba compile for `signature` at the first call, from Python or from another kernel.

    Modules can then import kernels at their top, and a command compiles only what it calls.
    """
    _PENDING[dispatcher] = signature
    call_template = dispatcher.get_call_template

    def template_of_call(arguments: Any, keywords: Any) -> Any:
        compiled(dispatcher)
        return call_template(arguments, keywords)

    dispatcher.get_call_template = template_of_call
    # What numba calls where no compiled version suits the arguments; it then calls what this returns.
    dispatcher._compile_for_args = lambda *arguments, **keywords: compiled(dispatcher)


if INTERPRETED:
    # Without compilation NumPy's scalars warn where machine words simply wrap.
    np.seterr(over="ignore")


def _bit_intrinsic(name: str, with_zero_flag: bool) -> Any:
    """Make a numba intrinsic `uint64 -> int64` out of one of LLVM's bit-counting instructions."""

    @intrinsic
    def operation(typing_context: Any, word: Any) -> Any:
        def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            word_type = ir.IntType(64)
            operands = [arguments[0]]
            operand_types = [word_type]
            if with_zero_flag:
                operands.append(ir.Constant(ir.IntType(1), 0))
                operand_types.append(ir.IntType(1))
            instruction = builder.module.declare_intrinsic(
                f"llvm.{name}", [word_type], ir.FunctionType(word_type, operand_types)
            )
            return builder.call(instruction, operands)

        return types.int64(types.uint64), codegen

    return operation


_ctpop = _bit_intrinsic("ctpop", with_zero_flag=False)
_cttz = _bit_intrinsic("cttz", with_zero_flag=True)
_ctlz = _bit_intrinsic("ctlz", with_zero_flag=True)


def popcount(word: np.uint64) -> int:
    """Number of bits set in `word`."""
    return int(word).bit_count()


def lowest(word: np.uint64) -> int:
    """Index of the lowest bit set in `word`; 64 for zero."""
    value = int(word)
    return (value & -value).bit_length() - 1 if value else 64


def highest(word: np.uint64) -> int:
    """Index of the highest bit set in `word`; -1 for zero."""
    return int(word).bit_length() - 1


def lowest_bit(word: np.uint64) -> np.uint64:
    """`word` with every bit but its lowest cleared; zero for zero."""
    return U64(word & (~word + ONE))


@overload(popcount, inline="always")
def _popcount_compiled(word):  # type: ignore[no-untyped-def]
    return lambda word: _ctpop(word)


@overload(lowest, inline="always")
def _lowest_compiled(word):  # type: ignore[no-untyped-def]
    return lambda word: _cttz(word)


@overload(highest, inline="always")
def _highest_compiled(word):  # type: ignore[no-untyped-def]
    return lambda word: 63 - _ctlz(word)


@overload(lowest_bit, inline="always")
def _lowest_bit_compiled(word):  # type: ignore[no-untyped-def]
    return lambda word: word & (~word + ONE)
